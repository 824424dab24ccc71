/** SQL: inserts a count under a key. `change` is what a count that is there becomes, `old`. */
export const insertCountSql = (change: string) => `insert into sign_in_count as old
     (tenant_id, key, count, blocked_until, expires_at)
   values (:tenantId, :key, :count, :blockedUntil::timestamptz, :expiresAt)
   on conflict (tenant_id, key) do update set ${change}`
