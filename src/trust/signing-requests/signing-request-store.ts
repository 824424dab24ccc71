import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditValues } from '../../events/audit/recorded-sql.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { LeafType } from '../certificates/certificate.ts'
import type { SigningRequestStatus, TenantSigningRequest } from './signing-request.ts'

type Row = {
  id: string
  type: LeafType
  key_type: TenantSigningRequest['keyType']
  country: string
  sign_mdl: boolean
  shown_status: SigningRequestStatus
  key_id: string | null
  der: Buffer
  subject_key_id: Buffer
  certificate_id: string | null
  expires_at: Date
  created_at: Date
  updated_at: Date
}

const shownStatus = `case when status = 'open' and expires_at <= $2 then 'expired' else status end`
const selectRequests = `select id, type, key_type, country, sign_mdl, ${shownStatus} as shown_status, key_id, der, subject_key_id, certificate_id,
    expires_at, created_at, updated_at
  from certificate_signing_request where tenant_id = $1`

const insertRequest = sql(
  'trust.signing_request.insert',
  `with ins as (
     insert into certificate_signing_request (tenant_id, id, type, key_type, country, sign_mdl, status, key_id, der, subject_key_id, expires_at,
       created_at, updated_at)
     values ($1, $3, $4, $5, $6, $7, 'open', $8, $9, $10, $11, $2, $2) returning id
   ), ${auditCte({ from: 'ins', first: 12 })}
   select id from ins`,
)
const selectOne = sql('trust.signing_request.find', `${selectRequests} and id = $3`)
const selectByKey = sql('trust.signing_request.by_key', `${selectRequests} and subject_key_id = $3`)
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

/** What a list may be narrowed down to. */
export type SigningRequestFilter = {
  readonly type?: LeafType | undefined
  readonly status?: SigningRequestStatus | undefined
  readonly keyType?: TenantSigningRequest['keyType'] | undefined
}

/** Keeps a new request. */
export async function insertSigningRequest(
  tx: TenantTx,
  request: TenantSigningRequest,
  entry: AuditEntry,
): Promise<void> {
  const { id, type, keyType, country, signMdl, keyId, der, subjectKeyId, expiresAt, createdAt } = request
  const own = [id, type, keyType, country, signMdl, keyId, der, subjectKeyId, expiresAt]
  await tx.rows(insertRequest, [tx.tenantId, createdAt, ...own, ...auditValues(entry, createdAt)])
}

/** Any request of the tenant. */
export async function findSigningRequest(tx: TenantTx, id: string, now: Date): Promise<TenantSigningRequest | null> {
  return only(await tx.rows<Row>(selectOne, [tx.tenantId, now, id]))
}

/** The request of the tenant that was made with a key. @param keyId The subject key identifier */
export async function findRequestByKey(tx: TenantTx, keyId: Buffer, now: Date): Promise<TenantSigningRequest | null> {
  return only(await tx.rows<Row>(selectByKey, [tx.tenantId, now, keyId]))
}

/** One page, one row more than asked for if there are more. */
export async function listSigningRequests(
  tx: TenantTx,
  ask: PageRequest,
  filter: SigningRequestFilter,
  now: Date,
): Promise<TenantSigningRequest[]> {
  return (await page<Row>(tx, ask, [tx.tenantId, now], filter)).map(requestOf)
}

function only([row]: readonly Row[]): TenantSigningRequest | null {
  return row === undefined ? null : requestOf(row)
}

function requestOf(row: Row): TenantSigningRequest {
  return {
    id: row.id,
    type: row.type,
    keyType: row.key_type,
    country: row.country,
    signMdl: row.sign_mdl,
    status: row.shown_status,
    keyId: row.key_id,
    der: row.der,
    subjectKeyId: row.subject_key_id,
    certificateId: row.certificate_id,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
