import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditValues } from '../../events/audit/recorded-sql.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { CLAIMS_END, firstSweep } from './claims-end.ts'

const reinstateStatement = sql(
  'issuance.reinstate_offer',
  `with upd as (
     update issuance set redeemed_at = null, token_hash = null, token_expires_at = null
     where tenant_id = $1 and id = $2 and status = 'offered' and redeemed_at is not null and holder_keys_hash is null
       and sealed_claims is not null and expires_at > $3
     returning id
   ), ${auditCte({ from: 'upd', first: 4 })}
   select id from upd`,
)

/** Revokes the access token of an offer, so that the offer can be redeemed again. Only while no holder key is bound. */
export async function reinstateOffered(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<void> {
  await tx.rows(reinstateStatement, [tx.tenantId, id, now, ...auditValues(entry, now)])
}

const renewStatement = sql(
  'issuance.renew_offer',
  `with seen as (select id from issuance where tenant_id = $1 and id = $2),
   upd as (
     update issuance set redeemed_at = null, token_hash = null, token_expires_at = null, family_id = null, identified = false,
       expires_at = $4::timestamptz, sweep_at = ${firstSweep('$4::timestamptz', '$3::timestamptz')}, updated_at = $3
     where tenant_id = $1 and id = $2 and status = 'offered' and holder_keys_hash is null and sealed_claims is not null and ${CLAIMS_END} > $3
     returning id
   ), ${auditCte({ from: 'upd', first: 5 })}
   select (select count(*) from seen) > 0 as known, (select count(*) from upd) > 0 as renewed`,
)

/**
 * Lets an offer end later and revokes its access token, so that it can be redeemed again. One statement: of a wallet that binds its key at the
 * same moment and this one takes effect.
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
  const values = [tx.tenantId, id, now, expiresAt, ...auditValues(entry, now)]
  const [row] = await tx.rows<{ known: boolean; renewed: boolean }>(renewStatement, values)
  if (row?.known !== true) return 'unknown'
  return row.renewed ? 'renewed' : 'closed'
}
