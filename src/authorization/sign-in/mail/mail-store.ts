import { sql, type TenantTx } from '../../../store/store.ts'

const count = sql(
  'authorization.count_mail',
  `insert into sign_in_count as old (tenant_id, key, count, expires_at) values ($1, $2, 1, $3)
   on conflict (tenant_id, key) do update set
     count = case when old.expires_at <= $4 then 1 else old.count + 1 end,
     expires_at = case when old.expires_at <= $4 then excluded.expires_at else old.expires_at end
   where old.expires_at <= $4 or old.count < $5 returning count`,
)

/** Counts a mail under a key in a window that starts with its first mail. Returns false, and counts nothing, if the limit is reached. */
export async function countMail(
  tx: TenantTx,
  key: Buffer,
  { now, endsAt, countMax }: { readonly now: Date; readonly endsAt: Date; readonly countMax: number },
): Promise<boolean> {
  return (await tx.rows(count, [tx.tenantId, key, endsAt, now, countMax])).length === 1
}
