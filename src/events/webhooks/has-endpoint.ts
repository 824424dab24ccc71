import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { getWebhookEndpoint } from './webhook-endpoint-store.ts'

/** Whether a tenant has a webhook endpoint of this id, also a disabled one. */
export async function hasWebhookEndpoint(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  id: string,
): Promise<boolean> {
  try {
    await store.single(tenantId, (tx) => getWebhookEndpoint(tx, id))
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === 'resource.unknown') return false
    throw error
  }
}
