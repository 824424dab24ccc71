import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditValues } from '../../events/audit/recorded-sql.ts'
import { sql, type TenantTx } from '../../store/store.ts'

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
