import type { Platform } from '../../platform.ts'
import type { Client } from './client.ts'
import { findClientRow } from './client-store.ts'

/** Returns the client that a request names, in one statement, never cached; null if it or its tenant is unknown or disabled. */
export function findClient({ store }: Pick<Platform, 'store'>, clientId: string): Promise<Client | null> {
  return store.across('client that a request names', (tx) => findClientRow(tx, clientId))
}
