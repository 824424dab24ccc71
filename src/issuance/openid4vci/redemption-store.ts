import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditValue, insertAudit } from '../../events/audit/recorded-sql.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { AccessGrant } from '../offers/access-token.ts'

const selectOffer = sql(
  'issuance.get_offer',
  `select template_id as "templateId", template_version as "templateVersion", tx_code_mac is not null as "needsTxCode",
     recipient_id is not null as "bySignIn", not code_only as "byCode", expires_at as "expiresAt",
     issued_at is not null or (redeemed_at is not null and family_id is null) as "isTaken" from issuance
   where tenant_id = $1 and id = $2 and (status in ('offered', 'partiallyIssued', 'completed') or issued_at is not null) and expires_at > $3`,
)

/** The template version of an offer. */
type OfferedIssuance = {
  readonly templateId: string
  readonly templateVersion: number
  readonly needsTxCode: boolean
  /** The recipient may get it by signing in. */
  readonly bySignIn: boolean
  /** The pre-authorized code is accepted. */
  readonly byCode: boolean
  readonly expiresAt: Date
  /** A wallet redeemed its pre-authorized code, or was issued the credential. */
  readonly isTaken: boolean
}

/** Returns the offer of an issuance until it ends, also after it was redeemed: wallets fetch it again. [VCI-O7] */
export async function findOffer(tx: TenantTx, id: string, now: Date): Promise<OfferedIssuance | null> {
  return (await tx.rows<OfferedIssuance>(selectOffer, [tx.tenantId, id, now]))[0] ?? null
}

const selectEnd = sql(
  'issuance.get_offer_end',
  `select case
     when issued_at is not null then 'taken'
     when status = 'failed' then case when tx_tries_left = 0 then 'locked' else 'canceled' end
     when status = 'canceled' then 'canceled'
     else 'expired' end as end
   from issuance where tenant_id = $1 and id = $2`,
)

/** Why an offer is not served any more. `ended`: its row was deleted, so nothing says why. */
type OfferEnd = 'taken' | 'locked' | 'canceled' | 'expired' | 'ended'

/** Returns why the offer of an issuance is not served any more. That it is not is NOT checked. */
export async function findOfferEnd(tx: TenantTx, id: string): Promise<OfferEnd> {
  return (await tx.rows<{ end: OfferEnd }>(selectEnd, [tx.tenantId, id]))[0]?.end ?? 'ended'
}

const isWrong = 'tx_code_mac is not null and :txCodeMac::bytea is not null and tx_code_mac <> :txCodeMac'
/** SQL: `value` if the transaction code is right, or not needed and not sent; else `otherwise`. */
const ifRight = (value: string, otherwise = 'null') =>
  `case when tx_code_mac is not distinct from :txCodeMac then ${value} else ${otherwise} end`
const ifLastTry = (value: string, otherwise: string) =>
  `case when ${isWrong} and tx_tries_left = 1 then ${value} else ${otherwise} end`

// Right and wrong transaction codes are the same update, so concurrent callers cannot exceed the number of tries. A
// caller with the same token secret is the same one, whose answer was lost: it gets its token, and a wrong code of it
// is counted once.
const tryOffer = (condition: string) => `update issuance set
       tx_tries_left = tx_tries_left - case when ${isWrong} then 1 else 0 end,
       tx_wrong_attempt = case when ${isWrong} then :tokenHash else tx_wrong_attempt end,
       redeemed_at = ${ifRight(':now::timestamptz')}, token_hash = ${ifRight(':tokenHash::bytea')},
       token_expires_at = ${ifRight(':tokenExpiresAt::timestamptz')}, identified = :identified,
       sweep_at = ${ifRight('least(sweep_at, :tokenExpiresAt::timestamptz)', 'sweep_at')},
       status = ${ifLastTry(`'failed'`, 'status')}, credential_status = ${ifLastTry(`'failed'`, 'credential_status')},
       sealed_claims = ${ifLastTry('null', 'sealed_claims')}, sealed_label = ${ifLastTry('null', 'sealed_label')},
       error = ${ifLastTry(':error::jsonb', 'error')},
       updated_at = ${ifLastTry(':now::timestamptz', 'updated_at')}
     where tenant_id = :tenantId and id = :id and status = 'offered'
       and (redeemed_at is null or token_hash = :tokenHash) and expires_at > :now and tx_tries_left > 0
       and not code_only
       and not (${isWrong} and tx_wrong_attempt is not distinct from :tokenHash) ${condition}
     returning redeemed_at is not null as redeemed, tx_code_mac is not null as "needsTxCode", template_id as "templateId",
       template_version as "templateVersion", tx_tries_left as "triesLeft", id, status`
// Without a transaction code there is no wrong one to record. And without a configuration there is none to compare:
// PostgreSQL would leave the comparison with null out, and therefore plan the statement for the values of each use.
const redeemOffer = sql('issuance.redeem_offer', tryOffer(''))
const redeemChecked = sql(
  'issuance.redeem_offer_checked',
  `with tried as (
     ${tryOffer(`and (:configurationId::text is null or :configurationId = (
       select code from credential_template t where t.tenant_id = :tenantId and t.id = template_id))`)}
   ), wrong as (
     select id from tried where not redeemed and "needsTxCode" and :txCodeMac::bytea is not null
   ), audited as (
     ${insertAudit('wrong', ':entry')}
   ), locked as (
     ${insertAudit(`(select from tried where status = 'failed') as last`, ':lockedEntry')}
   )
   select redeemed, "needsTxCode", "templateId", "templateVersion", "triesLeft" from tried`,
)

/** Error of an issuance in our API. */
const LOCKED = JSON.stringify({ code: 423, message: 'The transaction code was entered wrong five times.', details: [] })

/** An attempt to redeem an offer. */
export type Redemption = Pick<AccessGrant, 'jkt'> & {
  readonly id: string
  /** HMAC of the transaction code that was sent; null if none was. */
  readonly txCodeMac: Buffer | null
  readonly tokenHash: Buffer
  readonly tokenExpiresAt: Date
  /** Configuration that the request names in its authorization details; null if it has none. */
  readonly configurationId: string | null
}

/** Audit entries of a wrong transaction code, and of the last one allowed. */
export type RedemptionEntries = { readonly wrong: AuditEntry; readonly locked: AuditEntry }

/** `unusable`: unknown, redeemed, locked, canceled or expired; the response does not say which. */
export type Redeemed =
  | { readonly outcome: 'redeemed'; readonly granted: AccessGrant }
  | { readonly outcome: 'unusable' | 'tx_code_missing' | 'tx_code_unexpected' }
  | { readonly outcome: 'tx_code_wrong'; readonly triesLeft: number }

type TriedRow = Pick<AccessGrant, 'templateId' | 'templateVersion'> & {
  readonly redeemed: boolean
  readonly needsTxCode: boolean
  readonly triesLeft: number
}

/**
 * Redeems an offer for an access token, or counts a wrong transaction code. One statement: of concurrent callers
 * exactly one redeems, and at most five guess. The fifth wrong code fails the issuance and erases its claims. May be
 * repeated with the same secret when the answer was lost.
 */
export async function redeemOffered(
  tx: TenantTx,
  redemption: Redemption,
  entries: RedemptionEntries,
  now: Date,
): Promise<Redeemed> {
  const { id, txCodeMac, tokenHash, tokenExpiresAt, configurationId } = redemption
  const identified = configurationId !== null
  const values = { tenantId: tx.tenantId, id, txCodeMac, now, tokenHash, tokenExpiresAt, identified, error: LOCKED }
  const checked = () => ({
    ...values,
    configurationId,
    entry: auditValue(entries.wrong, now),
    lockedEntry: auditValue(entries.locked, now),
  })
  const [row] =
    txCodeMac === null && !identified
      ? await tx.rows<TriedRow>(redeemOffer, values)
      : await tx.rows<TriedRow>(redeemChecked, checked())
  if (row === undefined) return { outcome: 'unusable' }
  if (row.redeemed) {
    const { templateId, templateVersion } = row
    const about = { identified, expiresAt: tokenExpiresAt, jkt: redemption.jkt, clientId: null }
    const granted = { id, templateId, templateVersion, ...about }
    return { outcome: 'redeemed', granted }
  }
  if (!row.needsTxCode) return { outcome: 'tx_code_unexpected' }
  if (txCodeMac === null) return { outcome: 'tx_code_missing' }
  return { outcome: 'tx_code_wrong', triesLeft: row.triesLeft }
}
