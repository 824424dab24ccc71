import type { TenantId } from '../../caller.ts'

/** What a tenant had when it was closed; at most a million of each are counted. */
export type TenantCounts = {
  readonly users: number
  /** In the wallets of its users. */
  readonly credentials: number
  readonly issuances: number
  readonly auditEntries: number
}

/** What is kept of a tenant that is removed. */
export type RemovedTenant = {
  readonly id: TenantId
  readonly slug: string
  readonly name: string
  readonly createdAt: Date
  /** When it was closed. */
  readonly removedAt: Date
  /** The client that asked for it; null: the command line. */
  readonly removedBy: string | null
  readonly counts: TenantCounts
  /** When its audit trail was archived; null also without an archive. */
  readonly archivedAt: Date | null
  readonly rowsRemoved: number
  /** When its last row was gone. */
  readonly endedAt: Date | null
}

/** A tenant as the operator of the platform sees it. */
export type PlatformTenant = Pick<RemovedTenant, 'id' | 'slug' | 'name' | 'createdAt'> & {
  /** `removing`: it is closed, and rows may be left. `removed`: none is. */
  readonly state: 'active' | 'disabled' | 'removing' | 'removed'
  /** null unless it is removed. */
  readonly removal: Omit<RemovedTenant, 'id' | 'slug' | 'name' | 'createdAt'> | null
}
