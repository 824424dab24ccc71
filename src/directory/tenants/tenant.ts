import type { TenantId } from '../../caller.ts'

/** An organisation on the platform. */
export type Tenant = {
  readonly id: TenantId
  /** Its name in paths and in the URLs that go to wallets. */
  readonly slug: string
  readonly name: string
  readonly settings: Readonly<Record<string, unknown>>
  /** Grows with every change to what the tenant publishes. */
  readonly catalogVersion: number
}
