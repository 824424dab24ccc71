import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import type { Client } from './client.ts'
import { findClientOwner, findClientRow } from './client-store.ts'

/** Returns the client that a request names, in one statement, never cached; null if it or its tenant is unknown or disabled. */
export function findClient({ store }: Pick<Platform, 'store'>, clientId: string): Promise<Client | null> {
  return store.singleAcross('client that a request names', (tx) => findClientRow(tx, clientId))
}

/** Whether a tenant has a client of that name, disabled or not. */
export async function isClientIdOf(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  clientId: string,
): Promise<boolean> {
  const owner = await store.singleAcross('tenant of a client id', (tx) => findClientOwner(tx, clientId))
  return owner?.tenantId === tenantId
}
