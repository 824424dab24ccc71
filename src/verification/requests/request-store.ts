import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditStep, auditValues, auditWhere } from '../../events/audit/recorded-sql.ts'
import type { WatchedKind } from '../../platform.ts'
import { isFree, isHeld, type Lease, RELEASE, take } from '../../store/lease.ts'
import { sql, type TenantTx, wrote } from '../../store/store.ts'
import type { RequestSigners } from './choose-signer.ts'
import type {
  ClaimedRequest,
  DigitalCredentialsOptions,
  PendingRequest,
  PresentationRequest,
  RequestError,
  RequestOutcome,
} from './presentation-request.ts'

/** A request as it is stored: `result` is still sealed. */
export type RequestRow = Omit<PresentationRequest, 'credentials'> & {
  readonly result: Buffer | null
  readonly responseCodeHash: Buffer | null
  readonly browserSessionHash: Buffer | null
}

// A request past its end is shown as expired before the schedule expires it; one whose response is being checked is shown as open.
const shown = (now: string) => `case when status = 'requested' and expires_at <= ${now} then 'expired'
  when status = 'answering' then 'requested' else status end`
/** The columns of a {@link RequestRow} of the tenant $1. `now` is SQL, e.g. `$3`. */
export const requestColumns = (
  now: string,
) => `id, ${shown(now)} as status, template_id as "templateId", reference, client_id as "clientId", error, result,
  response_code_hash as "responseCodeHash", browser_session_hash as "browserSessionHash", digital_credentials is not null as "isForBrowsers",
  (select t.name from presentation_template t where t.tenant_id = $1 and t.id = template_id) as "templateName", completed_at as "completedAt", result_until as "claimsKeptUntil", expires_at as "expiresAt", created_at as "createdAt", updated_at as "updatedAt"`
const pendingColumns = `id, nonce, state, credentials, verifier_config as "verifierConfig", expires_at as "expiresAt",
  client_id as "clientId", signer_id as "signerId", transaction_data as "sealedTransactions",
  digital_credentials as "digitalCredentials", retention_seconds as "retentionSeconds"`
const isThis = 'tenant_id = $1 and id = $2'

// As `signingPreferenceOf` does.
const signingPreference = ['signer', 'keyType', 'clientIdPrefix', 'clientId', 'verifierAttestation']
  .map((name) => `coalesce(verifier_config->>'${name}', '')`)
  .join(` || '|' || `)

// Inserts nothing if no given signer matches the template's preference, or the template is not the version that the transaction data refer to.
// Without the alias of the table Citus writes a RETURNING that the node refuses.
const insertRequest = sql(
  'verification.insert_request',
  `with ins as (
     insert into presentation_request as made (tenant_id, id, template_id, status, reference, nonce, state, credentials, verifier_config,
       retention_seconds, redirect_uri, client_id, signer_id, expires_at, created_at, updated_at, transaction_data, digital_credentials, browser_session_hash)
     select tenant_id, $3::uuid, id, 'requested', $4::text, $5::text, $6::text, credentials, verifier_config, coalesce(retention_seconds, $7),
       coalesce($8::text, verifier_config->>'redirectUri'), choice->>'clientId', (choice->>'signerId')::uuid,
       $10::timestamptz + interval '1 second' * coalesce($9::int, (verifier_config->>'expiresInSeconds')::int, $11::int), $10, $10, $13, $14::jsonb, $16
     from (select *, $12::jsonb -> (${signingPreference}) as choice from presentation_template where ${isThis} and archived_at is null) template
     where choice is not null and ($15::timestamptz is null or updated_at = $15)
     returning *)
   select ${requestColumns('$10')} from ins`,
)
const insertCreation = auditWhere(
  'verification.insert_creation',
  'presentation_request where tenant_id = $1 and id = $16',
)

const findPending = sql(
  'verification.find_pending_request',
  `select ${pendingColumns} from presentation_request where ${isThis} and status = 'requested' and expires_at > $3`,
)

// An answer of a browser has no state [VP-D2].
const isAddressed = '(state = $3 or ($3::text is null and digital_credentials is not null))'

// Safe to repeat with the same values, as is `completeClaimed`: a call whose database answer was lost does so.
const claimPending = sql(
  'verification.claim_request',
  `update presentation_request set status = 'answering', ${take('$5', '$6')}
   where ${isThis} and ${isAddressed} and expires_at > $4 and status in ('requested', 'answering') and (${isFree('$4')} or ${isHeld('$5')})
     and case when $7 = 'accepted' then true
       when $7 = 'by-default' then coalesce(verifier_config->>'responseMode', '') <> 'direct_post.jwt'
       when $7 = 'if-stated' then verifier_config->>'responseMode' = 'direct_post' else false end
   returning ${pendingColumns}, claim, redirect_uri as "redirectUri"`,
)

const findClaimed = sql(
  'verification.find_claimed_request',
  `select id from presentation_request where ${isThis} and ${isAddressed} and status = 'answering' and expires_at > $4`,
)

const completeClaimed = sql(
  'verification.complete_request',
  `update presentation_request set status = $4, ${RELEASE}, transaction_data = null, completed_by = $3, completed_at = $9, error = $5::jsonb,
     result = $6, result_until = $7, response_code_hash = $8, updated_at = $9
   where ${isThis} and ${isHeld('$3')}`,
)
const wasCompleted = wrote('verification.require_completion', 'presentation_request')
const findCompleted = sql(
  'verification.find_completed_request',
  `select id from presentation_request where ${isThis} and completed_by = $3`,
)

const releaseClaimed = sql(
  'verification.release_request',
  `update presentation_request set status = 'requested', ${RELEASE}, error = $4::jsonb, updated_at = $5 where ${isThis} and ${isHeld('$3')}`,
)

const findRequest = sql(
  'verification.find_request',
  `select ${requestColumns('$3')} from presentation_request where ${isThis}`,
)

const listVersions = sql(
  'verification.list_request_versions',
  `select tenant_id as "tenantId", id, concat_ws(' ', ${shown('$3')}, updated_at, error, result is null) as version
   from presentation_request where (tenant_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))`,
)

const cancelPending = sql(
  'verification.cancel_request',
  `with upd as (
     update presentation_request set status = 'expired', transaction_data = null, expires_at = $3, error = $4::jsonb, updated_at = $3
     where ${isThis} and status = 'requested' and expires_at > $3 returning *),
   ${auditCte({ from: 'upd', first: 5 })}
   select ${requestColumns('$3')} from upd`,
)

const deleteClaims = sql(
  'verification.delete_claims',
  `with upd as (
     update presentation_request set result = null, result_until = null, updated_at = $3
     where ${isThis} and result is not null returning *),
   ${auditCte({ from: 'upd', first: 4 })}
   select ${requestColumns('$3')} from upd`,
)

/** Erases the result of a request: claims and findings. One statement. @returns null if there is none */
export async function deleteResult(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<RequestRow | null> {
  return (await tx.rows<RequestRow>(deleteClaims, [tx.tenantId, id, now, ...auditValues(entry, now)]))[0] ?? null
}

/** Long polling of presentation requests. */
export const watchedRequests: WatchedKind = {
  name: 'presentation request',
  versions: async (tx, watched, now) =>
    tx.rows(listVersions, [watched.map((one) => one.tenantId), watched.map((one) => one.id), now]),
}

/** The values of a new request that do not come from its template. */
type NewRequest = {
  readonly id: string
  readonly templateId: string
  readonly nonce: string
  readonly state: string
  readonly reference: string | null
  readonly redirectUri: string | null
  readonly expiresInSeconds: number | null
  readonly signers: RequestSigners
  /** Sealed. `templateUpdatedAt`: the version of the template that they refer to. */
  readonly sealedTransactions: Buffer | null
  readonly templateUpdatedAt: Date | null
  readonly digitalCredentials: DigitalCredentialsOptions | null
  readonly browserSessionHash: Buffer | null
  /** Used where neither the call nor the template sets the value. */
  readonly defaults: { readonly expiresInSeconds: number; readonly retentionSeconds: number }
}

/**
 * Inserts a request made from a template, with its audit entry.
 *
 * @returns null if the template does not exist, is archived or has another version, or if `signers` has none for its preference.
 */
export async function insertPresentationRequest(
  tx: TenantTx,
  { defaults, ...one }: NewRequest,
  entry: AuditEntry,
  now: Date,
): Promise<RequestRow | null> {
  const { templateId, id, reference, nonce, state, redirectUri, expiresInSeconds, signers } = one
  const { sealedTransactions, templateUpdatedAt, digitalCredentials, browserSessionHash } = one
  const options = digitalCredentials === null ? null : JSON.stringify(digitalCredentials)
  const [row] = await tx.rows<RequestRow>(
    insertRequest,
    [
      ...[tx.tenantId, templateId, id, reference, nonce, state, defaults.retentionSeconds, redirectUri],
      ...[expiresInSeconds, now, defaults.expiresInSeconds, JSON.stringify(signers)],
      ...[sealedTransactions, options, templateUpdatedAt, browserSessionHash],
    ],
    [{ statement: insertCreation, values: [...auditStep(tx, entry, now).values, id] }],
  )
  return row ?? null
}

/** Returns an open request; null if there is none, or if it was answered, canceled or has expired. */
export async function findPendingRequest(tx: TenantTx, id: string, now: Date): Promise<PendingRequest | null> {
  const [row] = await tx.rows<PendingRequest>(findPending, [tx.tenantId, id, now])
  return row ?? null
}

/**
 * When a response without encryption is accepted: `accepted`: this one is encrypted, or an error, which may come in the clear (8.3); `by-default`:
 * unless the template requires encryption; `if-stated`: if the template says so; `never`.
 */
export type PlainResponses = 'accepted' | 'by-default' | 'if-stated' | 'never'

/**
 * Claims an open request, so that of concurrent responses one is checked. The next response may claim it when the lease has expired.
 *
 * @param state Null: the answer of a browser.
 * @param plain When a response like this one is accepted without encryption.
 * @returns null if the request is not open, `state` is not its own, it is not for browsers, or the response must be encrypted.
 */
export async function claimRequest(
  tx: TenantTx,
  id: string,
  state: string | null,
  now: Date,
  { claim, leaseUntil }: Lease,
  plain: PlainResponses,
): Promise<ClaimedRequest | null> {
  const values = [tx.tenantId, id, state, now, claim, leaseUntil, plain]
  const [row] = await tx.rows<ClaimedRequest>(claimPending, values)
  return row ?? null
}

/** Returns whether a process is checking a response to the request, or has died while doing so. */
export async function isClaimed(tx: TenantTx, id: string, state: string | null, now: Date): Promise<boolean> {
  return (await tx.rows(findClaimed, [tx.tenantId, id, state, now])).length > 0
}

/** The columns of a completed request. `result` is sealed. */
export type Completion = Omit<RequestOutcome, 'credentials'> & {
  readonly result: Buffer | null
  readonly resultUntil: Date | null
  readonly responseCodeHash: Buffer | null
}

/** Completes a claimed request, with its audit entry. @throws Refused if the request is not held under the claim; then nothing was written */
export async function completeRequest(
  tx: TenantTx,
  { id, claim }: Pick<ClaimedRequest, 'id' | 'claim'>,
  { status, error, result, resultUntil, responseCodeHash }: Completion,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  const json = error === null ? null : JSON.stringify(error)
  const completed = [tx.tenantId, id, claim, status, json, result, resultUntil, responseCodeHash, now]
  const steps = [{ statement: wasCompleted, values: [tx.tenantId, id] }, auditStep(tx, entry, now)]
  await tx.rows(completeClaimed, completed, steps)
}

/** Returns whether the request was completed under the claim. */
export async function isCompletedBy(
  tx: TenantTx,
  { id, claim }: Pick<ClaimedRequest, 'id' | 'claim'>,
): Promise<boolean> {
  return (await tx.rows(findCompleted, [tx.tenantId, id, claim])).length === 1
}

/** Releases a claimed request with the reason. Does nothing if the claim was lost. */
export async function releaseRequest(
  tx: TenantTx,
  { id, claim }: Pick<ClaimedRequest, 'id' | 'claim'>,
  error: RequestError,
  now: Date,
): Promise<void> {
  await tx.rows(releaseClaimed, [tx.tenantId, id, claim, JSON.stringify(error), now])
}

/** Returns a request in any state; null if there is none. */
export async function findPresentationRequest(tx: TenantTx, id: string, now: Date): Promise<RequestRow | null> {
  const [row] = await tx.rows<RequestRow>(findRequest, [tx.tenantId, id, now])
  return row ?? null
}

/** Cancels an open request. @returns null if it is not open: unknown, final, or with a response that is being checked. */
export async function cancelPresentationRequest(
  tx: TenantTx,
  id: string,
  error: RequestError,
  entry: AuditEntry,
  now: Date,
): Promise<RequestRow | null> {
  const values = [tx.tenantId, id, now, JSON.stringify(error), ...auditValues(entry, now)]
  const [row] = await tx.rows<RequestRow>(cancelPending, values)
  return row ?? null
}
