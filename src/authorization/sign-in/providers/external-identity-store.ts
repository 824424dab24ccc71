import type { UserId } from '../../../caller.ts'
import { sql, type TenantTx } from '../../../store/store.ts'

/** An account at a provider. */
type ExternalAccount = { readonly providerId: string; readonly subject: string }

const find = sql(
  'authorization.find_external_identity',
  'select user_id as "userId" from external_identity where tenant_id = $1 and provider_id = $2 and subject = $3',
)
const insert = sql(
  'authorization.insert_external_identity',
  `insert into external_identity (tenant_id, provider_id, subject, user_id, created_at) values ($1, $2, $3, $4, $5)
   on conflict do nothing returning user_id`,
)

const count = sql(
  'authorization.count_external_identities',
  'select count(*)::int as count from external_identity where tenant_id = $1 and user_id = any($2::uuid[])',
)

/** Returns the user to whom an account at a provider belongs. */
export async function findExternalIdentity(
  tx: TenantTx,
  { providerId, subject }: ExternalAccount,
): Promise<UserId | null> {
  const [row] = await tx.rows<{ userId: UserId }>(find, [tx.tenantId, providerId, subject])
  return row?.userId ?? null
}

/** Links an account to a user. Returns false if the account belongs to a user, or the user has another account at the provider. */
export async function insertExternalIdentity(
  tx: TenantTx,
  { providerId, subject }: ExternalAccount,
  userId: UserId,
  now: Date,
): Promise<boolean> {
  return (await tx.rows(insert, [tx.tenantId, providerId, subject, userId, now])).length === 1
}

/** Returns how many accounts at providers some users have together. */
export async function countIdentities(tx: TenantTx, userIds: readonly UserId[]): Promise<number> {
  return (await tx.rows<{ count: number }>(count, [tx.tenantId, userIds]))[0]?.count ?? 0
}
