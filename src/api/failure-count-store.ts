import { deleteOldest } from '../store/in-pieces.ts'
import { type AcrossTx, sql, type TenantTx } from '../store/store.ts'

/** `by` more under a key: at most `countMax` until `expiresAt`, which is the end of the window if it starts now. */
type SharedCount = {
  readonly key: Buffer
  readonly countMax: number
  readonly by: number
  readonly now: Date
  readonly expiresAt: Date
}

/** Whether a failure was counted, whether the limit is reached with it, and when the window ends. */
type Counted = { readonly isAdded: boolean; readonly isReached: boolean; readonly until: Date }

const add = sql(
  'api.add_shared_count',
  `with added as (
     insert into shared_count as old (tenant_id, key, count, expires_at) values ($1, $2, $6, $5)
     on conflict (tenant_id, key) do update set
       count = case when old.expires_at <= $4 then excluded.count else old.count + excluded.count end,
       expires_at = case when old.expires_at <= $4 then excluded.expires_at else old.expires_at end
     where old.expires_at <= $4 or old.count < $3
     returning count, expires_at)
   select (select count from added) as count, (select expires_at from added) as "addedUntil",
     (select expires_at from shared_count where tenant_id = $1 and key = $2) as "reachedUntil"`,
)
const clear = sql(
  'api.clear_shared_count',
  `with cleared as (delete from shared_count where tenant_id = $1 and key = $2 and (count < $3 or expires_at <= $4))
   select expires_at as "expiresAt" from shared_count where tenant_id = $1 and key = $2 and count >= $3 and expires_at > $4`,
)
const removeExpired = sql('api.delete_shared_counts', deleteOldest('shared_count'))

/**
 * Counts more, unless the limit was reached before. Concurrent calls are counted one after the other, in all processes.
 */
export async function addSharedCount(
  tx: TenantTx,
  { key, countMax, by, now, expiresAt }: SharedCount,
): Promise<Counted> {
  type Row = { readonly count: number | null; readonly addedUntil: Date | null; readonly reachedUntil: Date | null }
  const [row] = await tx.rows<Row>(add, [tx.tenantId, key, countMax, now, expiresAt, by])
  const count = row?.count ?? null
  const until = row?.addedUntil ?? row?.reachedUntil ?? expiresAt
  return { isAdded: count !== null, isReached: count === null || count >= countMax, until }
}

/** Deletes a count that is below its limit. Returns when the window ends if the limit is reached, else null. */
export async function clearSharedCount(
  tx: TenantTx,
  { key, countMax, now }: Omit<SharedCount, 'by' | 'expiresAt'>,
): Promise<Date | null> {
  const [row] = await tx.rows<{ expiresAt: Date }>(clear, [tx.tenantId, key, countMax, now])
  return row?.expiresAt ?? null
}

/** Deletes at most `limit` expired counts. Returns their number. */
export async function deleteSharedCounts(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(removeExpired, [now, limit])).length
}
