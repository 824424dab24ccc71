import type { UserId } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import type { WatchedKind } from '../../platform.ts'
import { type AcrossTx, decision, sql, type TenantTx } from '../../store/store.ts'
import { keptAttributesSteps } from '../kept-attributes/kept-attributes-store.ts'
import { offerMailOf } from '../mails/offer-mail-store.ts'
import { nameWordSteps } from '../names/name-word-store.ts'
import { CLAIMS_END, firstSweep } from '../offers/claims-end.ts'
import type { Issuance } from './issuance.ts'

/** What distinguishes a new issuance from others; its other columns follow from these. */
type OfferedColumn =
  | 'id'
  | 'template_id'
  | 'template_version'
  | 'reference'
  | 'revocable'
  | 'sealed_claims'
  | 'expires_at'
  | 'tx_code_mac'
  | 'created_at'
  | 'updated_at'
  | 'format'
  | 'recipient_id'
  | 'code_only'
  | 'holder_id'
  | 'sealed_label'
  | 'own_valid_from'
  | 'own_valid_until'

/**
 * SQL: inserts offered issuances of the tenant `:tenantId`. The only such statement, so that no use case leaves a
 * column out.
 *
 * @param columns The value of each column, as SQL. The times are of type timestamptz.
 * @param from What the values are selected from; without it they are one row.
 */
export function insertOfferedSql(columns: Readonly<Record<OfferedColumn, string>>, from?: string): string {
  const all = {
    tenant_id: ':tenantId',
    status: `'offered'`,
    credential_status: `'offered'`,
    sweep_at: firstSweep(columns.expires_at, columns.updated_at),
    ...columns,
  }
  const values = Object.values(all).join(', ')
  const rows = from === undefined ? `values (${values})` : `select ${values} from ${from}`
  return `insert into issuance (${Object.keys(all).join(', ')}) ${rows}`
}

/** SQL condition: the offer has ended, whether or not the sweep has expired it. `now` is SQL. */
export const isOfferOver = (now: string) => `(status = 'offered' and ${CLAIMS_END} <= ${now})`
/** SQL: the columns of an issuance of the tenant $1. `now` is SQL. */
export const issuanceColumns = (now: string) =>
  `id, case when ${isOfferOver(now)} then 'expired' else status end as status, error,
   case when ${isOfferOver(now)} then 'expired' when standing <> 'valid' then standing else credential_status end as "credentialStatus",
   template_id as "templateId", template_version as "templateVersion", format, reference, revocable, created_at as "createdAt", updated_at as "updatedAt", expires_at as "expiresAt",
   issued_at as "issuedAt", accepted_at as "acceptedAt", holder_id as "holderId", status_reason as "statusReason",
   (select t.name from credential_template t where t.tenant_id = $1 and t.id = template_id) as "templateName",
   coalesce(to_json(own_valid_until), (select v.definition -> 'validUntil' from credential_template_version v
     where v.tenant_id = $1 and v.template_id = issuance.template_id and v.version = issuance.template_version)) as "validUntil",
   own_valid_from as "ownValidFrom", own_valid_until as "ownValidUntil",
   (select b.batch_id from issuance_batch_item b where b.tenant_id = $1 and b.issuance_id = issuance.id) as "batchId",
   (select json_build_object('id', r.old_id, 'revoke', r.revoke) from replacement r
     where r.tenant_id = $1 and r.id = issuance.id) as "replaces",
   (select r.id from replacement r where r.tenant_id = $1 and r.old_id = issuance.id and r.outcome is distinct from 'void') as "replacedBy",
   sealed_label as "sealedLabel", ${offerMailOf('issuance.id')} as "offerMail"`

const requireTemplate = decision(
  'issuance.require_template',
  `select from credential_template
   where tenant_id = :tenantId and id = :templateId and version = :templateVersion and archived_at is null`,
)
const insertIssuance = sql(
  'issuance.insert_issuance',
  insertOfferedSql({
    id: ':id',
    template_id: ':templateId',
    template_version: ':templateVersion',
    reference: ':reference',
    revocable: ':revocable',
    sealed_claims: ':sealedClaims',
    expires_at: ':expiresAt::timestamptz',
    tx_code_mac: ':txCodeMac::bytea',
    created_at: ':createdAt',
    updated_at: ':updatedAt::timestamptz',
    format: ':format',
    recipient_id: ':recipientId',
    code_only: ':codeOnly',
    holder_id: ':holderId',
    sealed_label: ':sealedLabel',
    own_valid_from: ':ownValidFrom::timestamptz',
    own_valid_until: ':ownValidUntil::timestamptz',
  }),
)
const selectIssuance = sql(
  'issuance.get_issuance',
  `select ${issuanceColumns('$3')} from issuance where tenant_id = $1 and id = $2`,
)
const selectMadeFrom = sql(
  'issuance.get_origin',
  `select template_id as "templateId", template_version as "templateVersion", tx_code_mac as "txCodeMac"
   from issuance where tenant_id = $1 and id = $2`,
)
const selectVersions = sql(
  'issuance.list_issuance_versions',
  `select tenant_id as "tenantId", id, concat_ws(' ', status, credential_status, standing, ${isOfferOver('$3')}, updated_at, error) as version
   from issuance where (tenant_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))`,
)
const cancelStatement = sql(
  'issuance.cancel_issuance',
  `update issuance set status = 'canceled', credential_status = 'expired', sealed_claims = null, sealed_label = null,
     updated_at = $3
   where tenant_id = $1 and id = $2 and status = 'offered' and ${CLAIMS_END} > $3
   returning id`,
)

/** A new row. */
export type NewIssuanceRow = {
  readonly issuance: Issuance
  readonly templateVersion: number
  readonly sealedClaims: Buffer
  /** Keyed hashes of the words of its label. */
  readonly wordMacs: readonly Buffer[]
  /** Its attributes, to be kept for corrections; null: they are not. */
  readonly sealedAttributes: Buffer | null
  readonly txCodeMac: Buffer | null
  /** The user who may get it by signing in; null: none. */
  readonly recipientId: UserId | null
  /** The pre-authorized code is not accepted. */
  readonly codeOnly: boolean
}

/** See {@link findIssuanceOrigin}. */
type IssuanceOrigin = Pick<NewIssuanceRow, 'templateVersion' | 'txCodeMac'> & { readonly templateId: string }

/**
 * Inserts an offered issuance, with its audit entry.
 *
 * @throws Refused if the template is at another version or archived
 */
export async function insertOffered(tx: TenantTx, made: NewIssuanceRow, entry: AuditEntry): Promise<void> {
  const { id, templateId, reference, revocable, expiresAt, createdAt, updatedAt, sealedLabel } = made.issuance
  const { ownValidFrom, ownValidUntil } = made.issuance
  const madeFrom = { tenantId: tx.tenantId, templateId, templateVersion: made.templateVersion }
  const values = {
    ...madeFrom,
    id,
    reference,
    revocable,
    sealedClaims: made.sealedClaims,
    expiresAt,
    txCodeMac: made.txCodeMac,
    createdAt,
    updatedAt,
    format: made.issuance.format,
    recipientId: made.recipientId,
    codeOnly: made.codeOnly,
    holderId: made.issuance.holderId,
    sealedLabel,
    ownValidFrom,
    ownValidUntil,
  }
  await tx.rows(requireTemplate, madeFrom, [
    { statement: insertIssuance, values },
    ...nameWordSteps(tx, [{ id, wordMacs: made.wordMacs }]),
    ...keptAttributesSteps(tx, [{ id, sealedAttributes: made.sealedAttributes }]),
    auditStep(tx, entry, updatedAt),
  ])
}

/** Returns one issuance of the tenant. */
export async function findIssuance(tx: TenantTx, id: string, now: Date): Promise<Issuance | null> {
  return (await tx.rows<Issuance>(selectIssuance, [tx.tenantId, id, now]))[0] ?? null
}

/** Returns the template version and transaction code MAC of an issuance. */
export async function findIssuanceOrigin(tx: TenantTx, id: string): Promise<IssuanceOrigin | null> {
  const [row] = await tx.rows<IssuanceOrigin>(selectMadeFrom, [tx.tenantId, id])
  return row ?? null
}

/**
 * Cancels an open issuance: no credential was issued and the offer has not ended. One statement, so it either precedes
 * the issuance of the credential or changes nothing.
 */
export async function cancelOffered(
  tx: TenantTx,
  id: string,
  entry: AuditEntry,
  now: Date,
): Promise<'unknown' | 'canceled' | 'closed'> {
  const canceled = await recordChange(tx, cancelStatement, [tx.tenantId, id, now], entry, now)
  if (canceled !== null) return 'canceled'
  return (await findIssuanceOrigin(tx, id)) === null ? 'unknown' : 'closed'
}

/** Issuances for long polling. */
export const watchedIssuances: WatchedKind = {
  name: 'issuance',
  versions: async (tx: AcrossTx, asked, now) =>
    tx.rows(selectVersions, [asked.map((one) => one.tenantId), asked.map((one) => one.id), now]),
}
