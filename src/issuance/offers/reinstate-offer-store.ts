import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { CLAIMS_END, firstSweep } from './claims-end.ts'

const reinstateStatement = sql(
  'issuance.reinstate_offer',
  `update issuance set redeemed_at = null, token_hash = null, token_expires_at = null
   where tenant_id = $1 and id = $2 and status = 'offered' and redeemed_at is not null and holder_keys_hash is null
     and sealed_claims is not null and expires_at > $3
   returning id`,
)

/** Revokes the access token of an offer, so that the offer can be redeemed again. Only while no holder key is bound. */
export async function reinstateOffered(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<void> {
  await recordChange(tx, reinstateStatement, [tx.tenantId, id, now], entry, now)
}

const renewStatement = sql(
  'issuance.renew_offer',
  `update issuance set redeemed_at = null, token_hash = null, token_expires_at = null, family_id = null,
     identified = false, expires_at = $4::timestamptz,
     sweep_at = ${firstSweep('$4::timestamptz', '$3::timestamptz')}, updated_at = $3
   where tenant_id = $1 and id = $2 and status = 'offered' and holder_keys_hash is null and sealed_claims is not null
     and ${CLAIMS_END} > $3
   returning id`,
)
const findStatement = sql('issuance.find_offer', 'select id from issuance where tenant_id = $1 and id = $2')

/**
 * Lets an offer end later and revokes its access token, so that it can be redeemed again. One statement: of a wallet
 * that binds its key at the same moment and this one takes effect.
 *
 * @returns `closed`: a wallet has the credential or binds its key, or the offer has ended and its claims are erased
 */
export async function renewOffered(
  tx: TenantTx,
  id: string,
  expiresAt: Date,
  entry: AuditEntry,
  now: Date,
): Promise<'unknown' | 'closed' | 'renewed'> {
  const renewed = await recordChange(tx, renewStatement, [tx.tenantId, id, now, expiresAt], entry, now)
  if (renewed !== null) return 'renewed'
  return (await tx.rows(findStatement, [tx.tenantId, id])).length === 0 ? 'unknown' : 'closed'
}
