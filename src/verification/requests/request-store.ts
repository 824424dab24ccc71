import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditValues } from '../../events/audit/recorded-sql.ts'
import type { WatchedKind } from '../../platform.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { SignerChoices } from './choose-signer.ts'
import type { ClaimedRequest, PendingRequest, RequestError, RequestStatus } from './presentation-request.ts'

/** A row as the API needs it; `result` is still sealed. */
export type RequestRow = {
  readonly id: string
  readonly status: RequestStatus
  readonly templateId: string
  readonly reference: string | null
  /** Null: the did:web of the tenant. */
  readonly clientId: string | null
  readonly error: RequestError | null
  readonly result: Buffer | null
  readonly responseCodeHash: Buffer | null
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** How long an answer may be checked before the process that does it counts as gone. */
export const CLAIM_SECONDS = 60

// What is due counts as expired before the schedule gets to it; a request that is being answered is still open to its owner.
const shown = (now: string) => `case when status = 'requested' and expires_at <= ${now} then 'expired'
  when status = 'answering' then 'requested' else status end`
/** What is read of a request. `$n` is the moment. */
export const requestColumns = (
  now: string,
) => `id, ${shown(now)} as status, template_id as "templateId", reference, client_id as "clientId", error, result,
  response_code_hash as "responseCodeHash", expires_at as "expiresAt", created_at as "createdAt", updated_at as "updatedAt"`
const questionColumns = `id, nonce, state, credentials, verifier_config as "verifierConfig", expires_at as "expiresAt",
  client_id as "clientId", signer_id as "signerId"`

// What a template says about signing, as `wishOf` writes it.
const wish = ['signer', 'keyType', 'clientIdPrefix']
  .map((name) => `coalesce(verifier_config->>'${name}', '')`)
  .join(` || '|' || `)

// Signers that are not at hand and response modes that the protocol surface cannot serve make no row.
const insertRequest = sql(
  'verification.request-insert',
  `with ins as (
     insert into presentation_request (tenant_id, id, template_id, status, reference, nonce, state, credentials, verifier_config,
       retention_seconds, redirect_uri, client_id, signer_id, expires_at, created_at, updated_at)
     select tenant_id, $3::uuid, id, 'requested', $4::text, $5::text, $6::text, credentials, verifier_config, coalesce(retention_seconds, $7),
       coalesce($8::text, verifier_config->>'redirectUri'), choice->>'clientId', (choice->>'signerId')::uuid,
       $10::timestamptz + interval '1 second' * coalesce($9::int, (verifier_config->>'expiresInSeconds')::int, $11::int), $10, $10
     from presentation_template, lateral (select $12::jsonb -> (${wish}) as choice) as chosen
     where tenant_id = $1 and id = $2 and archived_at is null and choice is not null
       and coalesce(verifier_config->>'responseMode', 'direct_post') = 'direct_post'
     returning *),
   ${auditCte({ from: 'ins', first: 13 })}
   select ${requestColumns('$10')} from ins`,
)

const findOpen = sql(
  'verification.request-open',
  `select ${questionColumns} from presentation_request
   where tenant_id = $1 and id = $2 and status = 'requested' and expires_at > $3`,
)

// This one and the next, run once more with the same values, do the same: a call whose database answer was lost may repeat them.
const claimStatement = sql(
  'verification.request-claim',
  `update presentation_request set status = 'answering', claimed_at = $4, claim = $6, updated_at = $4
   where tenant_id = $1 and id = $2 and state = $3 and expires_at > $4
     and (status = 'requested' or (status = 'answering' and (claimed_at <= $5 or claim = $6)))
   returning ${questionColumns}, claim, redirect_uri as "redirectUri", retention_seconds as "retentionSeconds"`,
)

const findClaimed = sql(
  'verification.request-claimed',
  `select id from presentation_request
   where tenant_id = $1 and id = $2 and state = $3 and status = 'answering' and expires_at > $4`,
)

const completeStatement = sql(
  'verification.request-complete',
  `with upd as (
     update presentation_request set status = $4, claimed_at = null, error = $5::jsonb, result = $6, result_until = $7,
       response_code_hash = $8, updated_at = $9
     where tenant_id = $1 and id = $2 and status = 'answering' and claim = $3 returning id),
   ${auditCte({ from: 'upd', first: 10 })}
   select id from upd
   union all select id from presentation_request where tenant_id = $1 and id = $2 and claim = $3 and status = $4`,
)

const releaseStatement = sql(
  'verification.request-release',
  `update presentation_request set status = 'requested', claimed_at = null, claim = null, error = $4::jsonb, updated_at = $5
   where tenant_id = $1 and id = $2 and status = 'answering' and claim = $3`,
)

const findRequest = sql(
  'verification.request-find',
  `select ${requestColumns('$3')} from presentation_request where tenant_id = $1 and id = $2`,
)

const selectVersions = sql(
  'verification.request-versions',
  `select tenant_id as "tenantId", id, concat_ws(' ', ${shown('$3')}, updated_at, error, result is null) as version
   from presentation_request where (tenant_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))`,
)

const cancelRequest = sql(
  'verification.request-cancel',
  `with upd as (
     update presentation_request set status = 'expired', expires_at = $3, error = $4::jsonb, updated_at = $3
     where tenant_id = $1 and id = $2 and status = 'requested' and expires_at > $3 returning *),
   ${auditCte({ from: 'upd', first: 5 })}
   select ${requestColumns('$3')} from upd`,
)

/** Requests whose changes can be waited for. */
export const watchedRequests: WatchedKind = {
  name: 'presentation request',
  versions: async (tx, asked, now) =>
    tx.rows(selectVersions, [asked.map((one) => one.tenantId), asked.map((one) => one.id), now]),
}

/** What a new request is made of, besides its template. */
export type NewRequest = {
  readonly id: string
  readonly templateId: string
  readonly nonce: string
  readonly state: string
  readonly reference: string | null
  readonly redirectUri: string | null
  readonly expiresInSeconds: number | null
  /** Who may sign it, by what the template says about that. */
  readonly signers: SignerChoices
  /** What holds when neither the ask nor the template says it. */
  readonly presets: { readonly expiresInSeconds: number; readonly retentionSeconds: number }
}

/**
 * Makes a request out of a template that can be asked for, with its audit entry.
 *
 * @returns null if there is no such template, or none that can be served, or none of `signers` is the one that it wants.
 */
export async function insertPresentationRequest(
  tx: TenantTx,
  { presets, ...one }: NewRequest,
  entry: AuditEntry,
  now: Date,
): Promise<RequestRow | null> {
  const { templateId, id, reference, nonce, state, redirectUri, expiresInSeconds, signers } = one
  const made = [tx.tenantId, templateId, id, reference, nonce, state, presets.retentionSeconds, redirectUri]
  const asked = [expiresInSeconds, now, presets.expiresInSeconds, JSON.stringify(signers)]
  const values = [...made, ...asked, ...auditValues(entry, now)]
  const [row] = await tx.rows<RequestRow>(insertRequest, values)
  return row ?? null
}

/** The question of an open request; null if there is none, or it was answered, canceled or has run out. */
export async function findPendingRequest(tx: TenantTx, id: string, now: Date): Promise<PendingRequest | null> {
  const [row] = await tx.rows<PendingRequest>(findOpen, [tx.tenantId, id, now])
  return row ?? null
}

/**
 * Claims the right to answer: of several answers that arrive together one gets the row. A claim whose process died is open to the next
 * after {@link CLAIM_SECONDS}.
 *
 * @param claim Names this claim; of a new UUID.
 * @returns null if the request is not open, or `state` is another's.
 */
export async function claimRequest(
  tx: TenantTx,
  id: string,
  state: string,
  now: Date,
  claim: string,
): Promise<ClaimedRequest | null> {
  const staleAt = new Date(now.getTime() - CLAIM_SECONDS * 1000)
  const [row] = await tx.rows<ClaimedRequest>(claimStatement, [tx.tenantId, id, state, now, staleAt, claim])
  return row ?? null
}

/** Whether an answer to the request is being checked at this moment, or its check has died. */
export async function isClaimed(tx: TenantTx, id: string, state: string, now: Date): Promise<boolean> {
  return (await tx.rows(findClaimed, [tx.tenantId, id, state, now])).length > 0
}

/** How a claimed request ended. `result` is sealed. */
export type Completion = {
  readonly status: 'verified' | 'rejected' | 'failed'
  readonly error: RequestError | null
  readonly result: Buffer | null
  readonly resultUntil: Date | null
  readonly responseCodeHash: Buffer | null
}

/** Ends a claimed request. @returns false if another answer has the claim; then nothing was written. */
export async function completeRequest(
  tx: TenantTx,
  { id, claim }: Pick<ClaimedRequest, 'id' | 'claim'>,
  { status, error, result, resultUntil, responseCodeHash }: Completion,
  entry: AuditEntry,
  now: Date,
): Promise<boolean> {
  const json = error === null ? null : JSON.stringify(error)
  const ended = [tx.tenantId, id, claim, status, json, result, resultUntil, responseCodeHash, now]
  const rows = await tx.rows(completeStatement, [...ended, ...auditValues(entry, now)])
  return rows.length === 1
}

/** Opens a claimed request again, with why. Nothing happens if the claim was lost. */
export async function releaseRequest(
  tx: TenantTx,
  { id, claim }: Pick<ClaimedRequest, 'id' | 'claim'>,
  error: RequestError,
  now: Date,
): Promise<void> {
  await tx.rows(releaseStatement, [tx.tenantId, id, claim, JSON.stringify(error), now])
}

/** @returns null if there is no such request. */
export async function findPresentationRequest(tx: TenantTx, id: string, now: Date): Promise<RequestRow | null> {
  const [row] = await tx.rows<RequestRow>(findRequest, [tx.tenantId, id, now])
  return row ?? null
}

/** Ends an open request before its time. @returns null if it is not open: unknown, final, or being answered at this moment. */
export async function cancelPresentationRequest(
  tx: TenantTx,
  id: string,
  error: RequestError,
  entry: AuditEntry,
  now: Date,
): Promise<RequestRow | null> {
  const values = [tx.tenantId, id, now, JSON.stringify(error), ...auditValues(entry, now)]
  const [row] = await tx.rows<RequestRow>(cancelRequest, values)
  return row ?? null
}
