import type { Client } from './client.ts'

/** What an organisation decides about a client. `scopes` and `roles` apart, as it gave them. */
export type ClientMembers = Omit<Client, 'clientId' | 'tenantId' | 'tenantSlug' | 'secrets' | 'lastUsedAt'> & {
  /** It cannot authenticate. Tokens that it has stay valid until they expire. */
  readonly disabled: boolean
}

/** A secret of a client as its organisation sees it. */
type SecretRecord = {
  readonly id: string
  /** `file`: from the bootstrap file. */
  readonly origin: 'server' | 'file'
  readonly createdAt: Date
  readonly endsAt: Date | null
}

/** A client as its organisation sees it. */
export type ClientRecord = ClientMembers & {
  readonly id: string
  readonly clientId: string
  /** Whether the bootstrap file declares it. */
  readonly isOfFile: boolean
  /** Those that have not ended, the newest first. */
  readonly secrets: readonly SecretRecord[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly lastUsedAt: Date | null
}
