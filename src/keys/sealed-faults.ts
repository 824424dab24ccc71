import type { TenantId } from '../caller.ts'
import { type Store, sql } from '../store/store.ts'
import { privateKeyPlace } from './current-keys.ts'
import type { Sealing } from './sealing.ts'

const KEYS_MAX = 100

const newestKeys = sql(
  'keys.list_sealed_keys',
  `select id, sealed_private as sealed from signing_key where tenant_id = $1 and sealed_private is not null order by created_at desc, id limit ${KEYS_MAX}`,
)

/** Opens the newest private keys of a tenant. @returns a sentence for each that MASTER_KEY does not open */
export async function sealedFaults(
  { store, sealing }: { readonly store: Store; readonly sealing: Sealing },
  tenantId: TenantId,
): Promise<readonly string[]> {
  const rows = await store.single(tenantId, (tx) => tx.rows<{ id: string; sealed: Buffer }>(newestKeys, [tenantId]))
  const faults: string[] = []
  for (const { id, sealed } of rows) {
    try {
      await sealing.open(privateKeyPlace(tenantId, id), sealed)
    } catch (error) {
      faults.push(`signing key ${id} cannot be opened: ${error instanceof Error ? error.message : error}`)
    }
  }
  return faults
}
