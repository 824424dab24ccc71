import { sql, type TenantTx } from '../../store/store.ts'

// varbit_send: four bytes of length, then the bits as bytes. The bitmap is large, so it travels only when it is news.
const selectList = sql(
  'issuance.get_status_list',
  `select version, bits, authority_id as "authorityId",
     case when version <> $3 and bitmap is not null then substring(varbit_send(bitmap) from 5) end as packed
   from status_list where tenant_id = $1 and id = $2`,
)
const selectLists = sql(
  'issuance.list_status_lists',
  'select id from status_list where tenant_id = $1 order by id limit $2',
)

/** A status list as it is at one moment. */
export type StoredStatusList = {
  readonly version: number
  readonly bits: 1 | 2
  readonly authorityId: string | null
  /** The list byte for byte; null if nothing of it was ever changed, or if the version is the one that was known. */
  readonly packed: Buffer | null
}

/** A status list of the tenant; its content only if it is not of the version that is known (-1: none is). */
export async function findStatusList(tx: TenantTx, id: string, knownVersion: number): Promise<StoredStatusList | null> {
  return (await tx.rows<StoredStatusList>(selectList, [tx.tenantId, id, knownVersion]))[0] ?? null
}

/** The ids of the tenant's status lists, the oldest first. */
export async function listStatusListIds(tx: TenantTx, countMax: number): Promise<string[]> {
  return (await tx.rows<{ id: string }>(selectLists, [tx.tenantId, countMax])).map(({ id }) => id)
}
