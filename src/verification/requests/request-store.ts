import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { auditStep, auditWhere } from '../../events/audit/recorded-sql.ts'
import type { WatchedKind } from '../../platform.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { RequestSigners } from './choose-signer.ts'
import type {
  DigitalCredentialsOptions,
  PendingRequest,
  PresentationRequest,
  RequestError,
} from './presentation-request.ts'

/** A request as it is stored: `result` is still sealed. */
export type RequestRow = Omit<PresentationRequest, 'credentials'> & {
  readonly result: Buffer | null
  readonly responseCodeHash: Buffer | null
  readonly browserSessionHash: Buffer | null
}

// A request past its end is shown as expired before the schedule expires it; one whose response is being checked is
// shown as open.
const shown = (now: string) => `case when status = 'requested' and expires_at <= ${now} then 'expired'
  when status = 'answering' then 'requested' else status end`
/** The columns of a {@link RequestRow}. `now` and `tenant` are SQL, e.g. `$3`. */
export const requestColumns = (
  now: string,
  tenant = '$1',
) => `id, ${shown(now)} as status, template_id as "templateId", reference, client_id as "clientId", error, result,
  verifier_config->>'scheme' as scheme,
  response_code_hash as "responseCodeHash", browser_session_hash as "browserSessionHash", digital_credentials is not null as "isForBrowsers",
  (select t.name from presentation_template t where t.tenant_id = ${tenant} and t.id = template_id) as "templateName",
  completed_at as "completedAt", result_until as "claimsKeptUntil", expires_at as "expiresAt",
  created_at as "createdAt", updated_at as "updatedAt"`
/** The columns of a {@link PendingRequest}. */
export const pendingColumns = `id, nonce, state, credentials, verifier_config as "verifierConfig", expires_at as "expiresAt",
  client_id as "clientId", signer_id as "signerId", transaction_data as "sealedTransactions",
  digital_credentials as "digitalCredentials", retention_seconds as "retentionSeconds"`
/** SQL: the request with the id $2 of the tenant $1. */
export const isThis = 'tenant_id = $1 and id = $2'

// As `signingPreferenceOf` does.
const signingPreference = ['signer', 'keyType', 'clientIdPrefix', 'clientId', 'verifierAttestation']
  .map((name) => `coalesce(verifier_config->>'${name}', '')`)
  .join(` || '|' || `)

// Inserts nothing if no given signer matches the template's preference, or the template is not the version that the
// transaction data refer to. Without the alias of the table Citus writes a RETURNING that the node refuses.
const insertRequest = sql(
  'verification.insert_request',
  `with ins as (
     insert into presentation_request as made (tenant_id, id, template_id, status, reference, nonce, state, credentials, verifier_config,
       retention_seconds, redirect_uri, client_id, signer_id, expires_at, created_at, updated_at, transaction_data, digital_credentials, browser_session_hash)
     select tenant_id, :id::uuid, id, 'requested', :reference::text, :nonce::text, :state::text, credentials,
       verifier_config, coalesce(retention_seconds, :retentionSeconds),
       coalesce(:redirectUri::text, verifier_config->>'redirectUri'), choice->>'clientId', (choice->>'signerId')::uuid,
       :now::timestamptz + interval '1 second'
         * coalesce(:expiresInSeconds::int, (verifier_config->>'expiresInSeconds')::int, :defaultExpiresInSeconds::int),
       :now, :now, :sealedTransactions, :digitalCredentials::jsonb, :browserSessionHash
     from (
       select *, :signers::jsonb -> (${signingPreference}) as choice from presentation_template
       where tenant_id = :tenantId and id = :templateId and archived_at is null) template
     where choice is not null and (:templateUpdatedAt::timestamptz is null or updated_at = :templateUpdatedAt)
     returning *)
   select ${requestColumns(':now', ':tenantId')} from ins`,
)
const insertCreation = auditWhere(
  'verification.insert_creation',
  'presentation_request where tenant_id = :tenantId and id = :id',
)

const findPending = sql(
  'verification.find_pending_request',
  `select ${pendingColumns} from presentation_request where ${isThis} and status = 'requested' and expires_at > $3`,
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
  `update presentation_request set status = 'expired', transaction_data = null, expires_at = $3, error = $4::jsonb,
     updated_at = $3
   where ${isThis} and status = 'requested' and expires_at > $3 returning id`,
)

const deleteClaims = sql(
  'verification.delete_claims',
  `update presentation_request set result = null, result_until = null, updated_at = $3
   where ${isThis} and result is not null returning id`,
)

/** Erases the result of a request: claims and findings. @returns null if there is none */
export async function deleteResult(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<RequestRow | null> {
  const deleted = await recordChange(tx, deleteClaims, [tx.tenantId, id, now], entry, now)
  return deleted === null ? null : findPresentationRequest(tx, id, now)
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
 * @returns null if the template does not exist, is archived or has another version, or if `signers` has none for its
 *   preference.
 */
export async function insertPresentationRequest(
  tx: TenantTx,
  { defaults, ...one }: NewRequest,
  entry: AuditEntry,
  now: Date,
): Promise<RequestRow | null> {
  const { templateId, id, reference, nonce, state, redirectUri, expiresInSeconds, signers } = one
  const { sealedTransactions, templateUpdatedAt, digitalCredentials, browserSessionHash } = one
  const [row] = await tx.rows<RequestRow>(
    insertRequest,
    {
      tenantId: tx.tenantId,
      templateId,
      id,
      reference,
      nonce,
      state,
      retentionSeconds: defaults.retentionSeconds,
      redirectUri,
      expiresInSeconds,
      defaultExpiresInSeconds: defaults.expiresInSeconds,
      signers: JSON.stringify(signers),
      sealedTransactions,
      templateUpdatedAt,
      digitalCredentials: digitalCredentials === null ? null : JSON.stringify(digitalCredentials),
      browserSessionHash,
      now,
    },
    [{ statement: insertCreation, values: { ...auditStep(tx, entry, now).values, id } }],
  )
  return row ?? null
}

/** Returns an open request; null if there is none, or if it was answered, canceled or has expired. */
export async function findPendingRequest(tx: TenantTx, id: string, now: Date): Promise<PendingRequest | null> {
  const [row] = await tx.rows<PendingRequest>(findPending, [tx.tenantId, id, now])
  return row ?? null
}

/** Returns a request in any state; null if there is none. */
export async function findPresentationRequest(tx: TenantTx, id: string, now: Date): Promise<RequestRow | null> {
  const [row] = await tx.rows<RequestRow>(findRequest, [tx.tenantId, id, now])
  return row ?? null
}

/**
 * Cancels an open request.
 *
 * @returns null if it is not open: unknown, final, or with a response that is being checked.
 */
export async function cancelPresentationRequest(
  tx: TenantTx,
  id: string,
  error: RequestError,
  entry: AuditEntry,
  now: Date,
): Promise<RequestRow | null> {
  const canceled = await recordChange(tx, cancelPending, [tx.tenantId, id, now, JSON.stringify(error)], entry, now)
  return canceled === null ? null : findPresentationRequest(tx, id, now)
}
