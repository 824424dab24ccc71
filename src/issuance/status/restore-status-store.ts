import type { Standing } from '../../protocols/status-list/packed-list.ts'
import { RESTORE_ROWS_MAX, type Recovery } from '../../recovery/restore.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { CLAIMS_END } from '../offers/claims-end.ts'
import { insertStatusLists } from './status-list-store.ts'

/** The standing of an issued credential, and all that its status list must have for it. */
export type JournaledStanding = {
  readonly issuanceId: string
  readonly standing: Standing
  readonly listId: string
  readonly indices: readonly number[]
  readonly bits: 1 | 2
  readonly authorityId: string | null
  readonly kid: string | null
}

/** Far beyond every version that was published and lost. */
const VERSIONS_AHEAD = 1_000_000

const selectStanding = sql(
  'issuance.list_standing',
  `select i.id as "issuanceId", i.standing, i.updated_at as "updatedAt", i.status_list_id as "listId", i.status_indices as indices,
     l.bits, l.authority_id as "authorityId", l.kid
   from issuance i join status_list l on l.tenant_id = i.tenant_id and l.id = i.status_list_id
   where i.tenant_id = $1 and i.id = any($2::uuid[])`,
)
const closeLists = sql(
  'issuance.close_status_lists',
  `update status_list set full_at = coalesce(full_at, $2), has_lost_entries = has_lost_entries or full_at is null, version = version + ${VERSIONS_AHEAD}
   where tenant_id = $1 returning id`,
)
const setStanding = sql(
  'issuance.restore_standing',
  `update issuance i set standing = lost.standing, updated_at = $2
   from unnest($3::uuid[], $4::text[], $5::uuid[]) as lost (id, standing, list_id)
   where i.tenant_id = $1 and i.id = lost.id and i.status_list_id = lost.list_id and i.standing <> lost.standing returning i.id`,
)
const endOffers = sql(
  'issuance.end_open_offers',
  `with due as (
     select id from issuance where tenant_id = $1 and sealed_claims is not null and ${CLAIMS_END} > $2 order by id limit ${RESTORE_ROWS_MAX} for update
   )
   update issuance i set expires_at = least(i.expires_at, $2), token_expires_at = case when i.token_expires_at is not null then least(i.token_expires_at, $2) end, sweep_at = $2
   from due where i.tenant_id = $1 and i.id = due.id returning i.id`,
)

/** Returns the standing of issued credentials that have entries in a status list. */
export async function listStanding(
  tx: TenantTx,
  issuanceIds: readonly string[],
): Promise<(JournaledStanding & { readonly updatedAt: Date })[]> {
  return tx.rows(selectStanding, [tx.tenantId, issuanceIds])
}

/**
 * Closes all lists of the tenant, so that new credentials get entries of new lists, and moves their versions ahead.
 * Those that were open stay published for good: lost credentials may have entries in them.
 */
export async function closeStatusLists(tx: TenantTx, { now }: Recovery): Promise<number> {
  return (await tx.rows(closeLists, [tx.tenantId, now])).length
}

/**
 * Ends offers that could be redeemed, and tokens that could fetch a credential. The sweep erases their claims and tells
 * their end.
 */
export async function endOpenOffers(tx: TenantTx, { now }: Recovery): Promise<number> {
  return (await tx.rows(endOffers, [tx.tenantId, now])).length
}

/** Inserts lists that the restored state does not have, closed. */
export async function insertLostLists(tx: TenantTx, lost: readonly JournaledStanding[], now: Date): Promise<void> {
  const lists = [...new Map(lost.map((one) => [one.listId, one])).values()]
  await insertStatusLists(tx, lists, { fullAt: now, hasLostEntries: true }, now)
}

/** Sets the standing of the credentials that the restored state has. @returns how many were changed */
export async function restoreStanding(tx: TenantTx, lost: readonly JournaledStanding[], now: Date): Promise<number> {
  const columns = [
    lost.map(({ issuanceId }) => issuanceId),
    lost.map(({ standing }) => standing),
    lost.map(({ listId }) => listId),
  ]
  return (await tx.rows(setStanding, [tx.tenantId, now, ...columns])).length
}
