import type { Platform } from '../../platform.ts'
import type { Client } from './client.ts'
import { findClientRow } from './client-store.ts'

/** The client that a request names, with its tenant: one statement, never remembered. null if it or its tenant is unknown or disabled. */
export function findClient({ store }: Pick<Platform, 'store'>, clientId: string): Promise<Client | null> {
  return store.across('client that a request names', (tx) => findClientRow(tx, clientId))
}
