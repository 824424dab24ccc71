import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import type { Client } from './client.ts'
import { findClientRow } from './client-store.ts'

type Needs = Pick<Platform, 'store'>

/**
 * Returns the client that a request names, in one statement, never cached; null if it or its tenant is unknown or
 * disabled.
 */
export async function findClient(needs: Needs, clientId: string): Promise<Client | null> {
  const found = await rowOf(needs, clientId)
  return found?.isEnabled === true ? found.client : null
}

/**
 * As {@link findClient}, the client of one tenant. `unknown`: the tenant has no client of that name, not even a
 * disabled one.
 */
export async function findClientOf(
  needs: Needs,
  tenantId: TenantId,
  clientId: string,
): Promise<Client | null | 'unknown'> {
  const found = await rowOf(needs, clientId)
  if (found?.client.tenantId !== tenantId) return 'unknown'
  return found.isEnabled ? found.client : null
}

function rowOf({ store }: Needs, clientId: string) {
  return store.singleAcross('client that a request names', (tx) => findClientRow(tx, clientId))
}
