import type { UserId } from '../../../caller.ts'
import { sql, type TenantTx } from '../../../store/store.ts'

/** An account at a provider. */
type ExternalAccount = { readonly providerId: string; readonly subject: string }

const find = sql(
  'authorization.find_external_identity',
  'select user_id as "userId" from external_identity where tenant_id = $1 and provider_id = $2 and subject = $3',
)
const listOfUser = sql(
  'authorization.list_external_identities',
  'select provider_id as "providerId" from external_identity where tenant_id = $1 and user_id = $2',
)
const insert = sql(
  'authorization.insert_external_identity',
  `insert into external_identity (tenant_id, provider_id, subject, user_id, created_at) values ($1, $2, $3, $4, $5)
   on conflict do nothing returning user_id`,
)

/** Returns the user to whom an account at a provider belongs. */
export async function findExternalIdentity(
  tx: TenantTx,
  { providerId, subject }: ExternalAccount,
): Promise<UserId | null> {
  const [row] = await tx.rows<{ userId: UserId }>(find, [tx.tenantId, providerId, subject])
  return row?.userId ?? null
}

/** Lists the ids of the providers at which a user has a linked account. */
export async function listConnected(tx: TenantTx, userId: UserId): Promise<readonly string[]> {
  const rows = await tx.rows<{ providerId: string }>(listOfUser, [tx.tenantId, userId])
  return rows.map(({ providerId }) => providerId)
}

/**
 * Links an account to a user. Returns false if the account belongs to a user, or the user has another account at the
 * provider.
 */
export async function insertExternalIdentity(
  tx: TenantTx,
  { providerId, subject }: ExternalAccount,
  userId: UserId,
  now: Date,
): Promise<boolean> {
  return (await tx.rows(insert, [tx.tenantId, providerId, subject, userId, now])).length === 1
}
