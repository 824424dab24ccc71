import { sql, type TenantTx } from '../../store/store.ts'

// varbit_send: four bytes of length, then the bits as bytes. The bitmap is large, so it is read only when its version
// has changed.
const selectList = sql(
  'issuance.get_status_list',
  `select version, bits, authority_id as "authorityId", kid,
     case when version <> $3 and bitmap is not null then substring(varbit_send(bitmap) from 5) end as packed
   from status_list where tenant_id = $1 and id = $2`,
)
const selectLists = sql(
  'issuance.list_status_lists',
  'select id from status_list where tenant_id = $1 order by id limit $2',
)

/** A status list at one version. */
export type StoredStatusList = {
  readonly version: number
  readonly bits: 1 | 2
  readonly authorityId: string | null
  readonly kid: string | null
  /** The list as published; null if no entry was ever changed, or if `knownVersion` is current. */
  readonly packed: Buffer | null
}

/** Returns a status list of the tenant, with its content unless `knownVersion` is current (-1: no version is known). */
export async function findStatusList(tx: TenantTx, id: string, knownVersion: number): Promise<StoredStatusList | null> {
  return (await tx.rows<StoredStatusList>(selectList, [tx.tenantId, id, knownVersion]))[0] ?? null
}

/** Returns the ids of the tenant's status lists, oldest first. */
export async function listStatusListIds(tx: TenantTx, countMax: number): Promise<string[]> {
  return (await tx.rows<{ id: string }>(selectLists, [tx.tenantId, countMax])).map(({ id }) => id)
}

// Of a kind one list is open; a list that is inserted as closed meets only itself.
const insertLists = sql(
  'issuance.insert_status_lists',
  `insert into status_list (tenant_id, id, created_at, full_at, has_lost_entries, bits, authority_id, kid)
   select :tenantId, list.id, :now, :fullAt::timestamptz, :hasLostEntries::boolean, list.bits, list.authority_id,
     list.kid
   from unnest(:ids::uuid[], :bits::smallint[], :authorityIds::uuid[], :kids::text[])
     as list (id, bits, authority_id, kid)
   on conflict do nothing returning id`,
)

/** Which entries a status list has, and who signs it. */
type NewStatusList = Pick<StoredStatusList, 'bits' | 'authorityId' | 'kid'> & { readonly listId: string }

/**
 * Inserts status lists that are not there.
 *
 * @param closed null: they are open, and one of whose kind another is open is not inserted. `hasLostEntries`:
 * credentials may have entries of which nothing is known.
 */
export async function insertStatusLists(
  tx: TenantTx,
  lists: readonly NewStatusList[],
  closed: { readonly fullAt: Date; readonly hasLostEntries: boolean } | null,
  now: Date,
): Promise<void> {
  await tx.rows(insertLists, {
    tenantId: tx.tenantId,
    ids: lists.map(({ listId }) => listId),
    bits: lists.map(({ bits }) => bits),
    authorityIds: lists.map(({ authorityId }) => authorityId),
    kids: lists.map(({ kid }) => kid),
    fullAt: closed?.fullAt ?? null,
    hasLostEntries: closed?.hasLostEntries ?? false,
    now,
  })
}

const selectAuthorities = sql(
  'issuance.list_status_authorities',
  'select authority_id as "authorityId", count(*)::int as lists from status_list where tenant_id = $1 and authority_id is not null group by 1',
)

/** Returns the certificate authorities of the tenant's status lists, with the number of their lists. */
export async function listStatusAuthorities(tx: TenantTx): Promise<{ authorityId: string; lists: number }[]> {
  return tx.rows<{ authorityId: string; lists: number }>(selectAuthorities, [tx.tenantId])
}
