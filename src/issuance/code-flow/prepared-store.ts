import type { UserId } from '../../caller.ts'
import { sql, type TenantTx } from '../../store/store.ts'

/**
 * SQL condition: the recipient may redeem it by a code. It was not redeemed, or by a code whose access token ended
 * before a key was bound: then the wallet has nothing. `now` is SQL.
 */
const isOpen = (now: string) =>
  `(status = 'offered' and sealed_claims is not null and expires_at > ${now} and (redeemed_at is null
     or (family_id is not null and token_expires_at <= ${now} and holder_keys_hash is null)))`
const CODE =
  '(select code from credential_template t where t.tenant_id = $1 and t.id = template_id) as code, template_id as "templateId", template_version as "templateVersion"'

const find = sql(
  'issuance.find_prepared',
  `select id, template_version as "templateVersion", sealed_claims as "sealedClaims" from issuance
   where tenant_id = $1 and recipient_id = $2 and template_id = $3 and ($4::uuid is null or id = $4) and ${isOpen('$5')} order by id limit 1`,
)
const redeem = sql(
  'issuance.redeem_prepared',
  `update issuance set redeemed_at = $4, token_hash = $5::bytea, token_expires_at = $6, identified = $7, family_id = $8
   where tenant_id = $1 and id = $2 and recipient_id = $3 and ${isOpen('$4')} returning ${CODE}`,
)
const renew = sql(
  'issuance.renew_token',
  `update issuance set token_hash = $4::bytea, token_expires_at = $5
   where tenant_id = $1 and id = $2 and family_id = $3 and sealed_claims is not null and greatest(expires_at, refill_until) > $6
     and status in ('offered', 'completed', 'failed') returning ${CODE}`,
)
// Before a key is bound the recipient may begin again; after that the token is worth nothing, under a hash that no
// token has.
const revoke = sql(
  'issuance.revoke_tokens',
  `update issuance set
     redeemed_at = case when holder_keys_hash is not null then redeemed_at end,
     token_hash = case when holder_keys_hash is not null then sha256(token_hash) end,
     token_expires_at = case when holder_keys_hash is not null then least(token_expires_at, $3) end,
     family_id = case when holder_keys_hash is not null then family_id end
   where tenant_id = $1 and recipient_id is not null and id = $4 and family_id = $2 returning id`,
)

/** An issuance that a user may get by signing in. */
type Prepared = { readonly id: string; readonly templateVersion: number; readonly sealedClaims: Buffer }

/** The template of a redeemed issuance. `code` names its configuration. */
type RedeemedTemplate = { readonly code: string; readonly templateId: string; readonly templateVersion: number }

/** The access token of an issuance; `familyId`: the code that it came from. */
type NewToken = {
  readonly id: string
  readonly familyId: string
  readonly tokenHash: Buffer
  readonly tokenExpiresAt: Date
}

/**
 * Returns the oldest open issuance from a template that is prepared for a user.
 *
 * @param id Only this one; null: the oldest open one of the user.
 */
export async function findPrepared(
  tx: TenantTx,
  { userId, templateId, id }: { readonly userId: UserId; readonly templateId: string; readonly id: string | null },
  now: Date,
): Promise<Prepared | null> {
  return (await tx.rows<Prepared>(find, [tx.tenantId, userId, templateId, id, now]))[0] ?? null
}

/**
 * Redeems an issuance for its recipient. One statement, on the row that the pre-authorized code is redeemed on: of
 * concurrent callers of either grant one redeems. null: it is not theirs, redeemed, or has ended.
 */
export async function redeemPrepared(
  tx: TenantTx,
  {
    id,
    familyId,
    tokenHash,
    tokenExpiresAt,
    ...about
  }: NewToken & { readonly userId: UserId; readonly identified: boolean },
  now: Date,
): Promise<RedeemedTemplate | null> {
  const values = [tx.tenantId, id, about.userId, now, tokenHash, tokenExpiresAt, about.identified, familyId]
  return (await tx.rows<RedeemedTemplate>(redeem, values))[0] ?? null
}

/**
 * Replaces the access token of an issuance that was redeemed by the code. null: another code redeemed it, or it has
 * ended.
 */
export async function renewToken(
  tx: TenantTx,
  { id, familyId, tokenHash, tokenExpiresAt }: NewToken,
  now: Date,
): Promise<RedeemedTemplate | null> {
  const values = [tx.tenantId, id, familyId, tokenHash, tokenExpiresAt, now]
  return (await tx.rows<RedeemedTemplate>(renew, values))[0] ?? null
}

/** Revokes the access token that came from a code. An issuance without a bound key can be redeemed again. */
export async function revokeToken(
  tx: TenantTx,
  { id, familyId }: Pick<NewToken, 'id' | 'familyId'>,
  now: Date,
): Promise<void> {
  await tx.rows(revoke, [tx.tenantId, familyId, now, id])
}
