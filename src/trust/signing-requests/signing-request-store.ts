import type { LeafType } from '../../contract/trust/certificates.ts'
import type { SigningRequestStatus } from '../../contract/trust/signing-requests.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { TenantSigningRequest } from './signing-request.ts'

const shownStatus = `case when status = 'open' and expires_at <= $2 then 'expired' else status end`
const selectRequests = `select id, type, key_type as "keyType", country, sign_mdl as "signMdl", ${shownStatus} as status, key_id as "keyId", der,
    subject_key_id as "subjectKeyId", certificate_id as "certificateId", expires_at as "expiresAt", created_at as "createdAt",
    updated_at as "updatedAt"
  from certificate_signing_request where tenant_id = $1`

const insertRequest = sql(
  'trust.insert_signing_request',
  `insert into certificate_signing_request (tenant_id, id, type, key_type, country, sign_mdl, status, key_id, der,
     subject_key_id, expires_at, created_at, updated_at)
   values (:tenantId, :id, :type, :keyType, :country, :signMdl, 'open', :keyId, :der, :subjectKeyId, :expiresAt,
     :createdAt, :createdAt)`,
)
const selectOne = sql('trust.find_signing_request', `${selectRequests} and id = $3`)
const selectByKey = sql('trust.find_signing_request_by_key', `${selectRequests} and subject_key_id = $3`)
const page = pagedList({
  name: 'trust.signing_requests',
  select: selectRequests,
  parameters: 2,
  id: 'id',
  filters: {
    type: (value) => `type = ${value}`,
    status: (value) => `${shownStatus} = ${value}`,
    keyType: (value) => `key_type = ${value}`,
  },
})

/** Filters of the list of signing requests. */
type SigningRequestFilter = {
  readonly type?: LeafType | undefined
  readonly status?: SigningRequestStatus | undefined
  readonly keyType?: TenantSigningRequest['keyType'] | undefined
}

/** Inserts a request, with its audit entry. */
export async function insertSigningRequest(
  tx: TenantTx,
  request: TenantSigningRequest,
  entry: AuditEntry,
): Promise<void> {
  const { id, type, keyType, country, signMdl, keyId, der, subjectKeyId, expiresAt, createdAt } = request
  const values = {
    tenantId: tx.tenantId,
    id,
    type,
    keyType,
    country,
    signMdl,
    keyId,
    der,
    subjectKeyId,
    expiresAt,
    createdAt,
  }
  await tx.rows(insertRequest, values, [auditStep(tx, entry, createdAt)])
}

/** Returns a signing request of the tenant, of whatever status. */
export async function findSigningRequest(tx: TenantTx, id: string, now: Date): Promise<TenantSigningRequest | null> {
  return first(await tx.rows<TenantSigningRequest>(selectOne, [tx.tenantId, now, id]))
}

/** Returns the signing request of the tenant for a key. @param keyId Subject key identifier. */
export async function findRequestByKey(tx: TenantTx, keyId: Buffer, now: Date): Promise<TenantSigningRequest | null> {
  return first(await tx.rows<TenantSigningRequest>(selectByKey, [tx.tenantId, now, keyId]))
}

/** Returns one page, and one row more if there is a next page. */
export async function listSigningRequests(
  tx: TenantTx,
  request: PageRequest,
  filter: SigningRequestFilter,
  now: Date,
): Promise<TenantSigningRequest[]> {
  return page<TenantSigningRequest>(tx, request, [tx.tenantId, now], filter)
}

function first([row]: readonly TenantSigningRequest[]): TenantSigningRequest | null {
  return row ?? null
}
