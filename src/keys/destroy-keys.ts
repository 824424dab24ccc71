import type { TenantId } from '../caller.ts'
import { type Store, sql } from '../store/store.ts'
import { privateKeyPlace } from './current-keys.ts'
import { type KeyProviders, softwareKeys } from './key-provider.ts'
import { BrokenSeal, type Sealing } from './sealing.ts'

const KEYS_EACH = 100

type Row = { readonly id: string; readonly provider: string; readonly sealed_private: Buffer }

const listDeviceKeys = sql(
  'keys.list_device_keys',
  `select id, provider, sealed_private from signing_key
   where tenant_id = $1 and sealed_private is not null and provider <> $2 order by id limit $3`,
)
const clearKey = sql(
  'keys.clear_device_key',
  'update signing_key set sealed_private = null where tenant_id = $1 and id = $2',
)

/**
 * Destroys all keys of a tenant that a device holds. Those in software are destroyed with their rows. Idempotent.
 *
 * @returns ids of keys that may be in the device still: what refers to them cannot be opened
 * @throws Error if the device is not configured here, Fault `key_device.failed`
 */
export async function destroyDeviceKeys(
  store: Store,
  sealing: Sealing,
  { named }: KeyProviders,
  tenantId: TenantId,
): Promise<readonly string[]> {
  const lost: string[] = []
  const next = () =>
    store.single(tenantId, (tx) => tx.rows<Row>(listDeviceKeys, [tenantId, softwareKeys.name, KEYS_EACH]))
  for (let rows = await next(); rows.length > 0; rows = await next()) {
    for (const { id, provider, sealed_private: sealed } of rows) {
      const stored = await sealing.open(privateKeyPlace(tenantId, id), sealed).catch((error: unknown) => {
        if (error instanceof BrokenSeal) return null
        throw error
      })
      if (stored === null) lost.push(id)
      else await named(provider).destroy(stored)
      await store.single(tenantId, (tx) => tx.rows(clearKey, [tenantId, id]))
    }
  }
  return lost
}
