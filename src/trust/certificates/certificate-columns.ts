import type { Certificate } from '../../crypto/x509-path/certificate.ts'
import type { CertificateOrigin, CertificateStatus, CertificateType, TenantCertificate } from './certificate.ts'
import { kindOf } from './certificate.ts'

/** A certificate that is about to be kept: what its row says besides what is read from it. */
export type NewCertificate = {
  readonly id: string
  readonly type: CertificateType
  readonly keyType: TenantCertificate['keyType']
  readonly origin: CertificateOrigin
  readonly parentId: string | null
  readonly keyId: string | null
  readonly certificate: Certificate
  readonly chain?: string
  readonly signMdl: boolean
  readonly renewAt?: Date
}

/** How a row leaves the store. */
export type CertificateRow = {
  id: string
  type: CertificateType
  key_type: TenantCertificate['keyType']
  origin: CertificateOrigin
  shown_status: CertificateStatus
  parent_id: string | null
  key_id: string | null
  der: Buffer
  chain: string
  sign_mdl: boolean
  not_before: Date
  not_after: Date
  renew_at: Date | null
  created_at: Date
  updated_at: Date
}

/** Those that sign for the tenant, each for its kind and key type: of the table or alias that is named. */
export function signerIn(table: string): string {
  return `${table}.status = 'active' and ${table}.origin in ('root', 'request')`
}

/** `c` is the certificate, `p` the root above it; $2 is the present moment. */
export const shownStatus = `case
  when c.status = 'revoked' or p.status = 'revoked' then 'revoked'
  when c.not_after <= $2 then 'expired'
  when c.origin = 'automatic' and c.status = 'active' and (p.status <> 'active' or p.not_after <= $2) then 'inactive'
  else c.status end`
/** Tables and columns of {@link CertificateRow}, for $1 the tenant and $2 the present moment. */
export const selectCertificates = `select c.id, c.type, c.key_type, c.origin, ${shownStatus} as shown_status, c.parent_id, c.key_id, c.der,
    c.chain, c.sign_mdl, c.not_before, c.not_after, c.renew_at, c.created_at, c.updated_at
  from certificate c left join certificate p on p.tenant_id = c.tenant_id and p.id = c.parent_id
  where c.tenant_id = $1`

/**
 * The columns that an INSERT fills from the JSON of {@link valuesOf}, with the status as a piece of SQL. `from`: the CTEs it hangs on.
 */
export function insertCertificate(status: string, from: string): string {
  return `insert into certificate (tenant_id, id, type, kind, key_type, origin, status, parent_id, key_id, der, chain, subject_key_id, serial,
      sign_mdl, not_before, not_after, renew_at, destroy_key_at, created_at, updated_at)
    select $1, r.id, r.type, r.kind, r.key_type, r.origin, ${status}, r.parent_id, r.key_id, r.der, r.chain, r.subject_key_id, r.serial,
      r.sign_mdl, r.not_before, r.not_after, r.renew_at, r.destroy_key_at, $2, $2
    from jsonb_populate_record(null::certificate, $3::jsonb) as r${from}`
}

/** The JSON that {@link insertCertificate} reads. bytea travels in the hex form of PostgreSQL. */
export function valuesOf({ certificate, chain = '', ...row }: NewCertificate): string {
  const { der, extensions, serial, notBefore, notAfter } = certificate
  const bytes = (hex: string) => `\\x${hex}`
  return JSON.stringify({
    id: row.id,
    type: row.type,
    kind: kindOf(row.type),
    key_type: row.keyType,
    origin: row.origin,
    parent_id: row.parentId,
    key_id: row.keyId,
    der: bytes(der.toString('hex')),
    chain,
    subject_key_id: bytes(extensions.subjectKeyId?.toString('hex') ?? ''),
    serial: bytes(serial),
    sign_mdl: row.signMdl,
    not_before: notBefore,
    not_after: notAfter,
    renew_at: row.renewAt ?? null,
    destroy_key_at: row.keyId === null ? null : notAfter,
  })
}

/** A row as the rest of the room knows it. */
export function certificateOfRow(row: CertificateRow): TenantCertificate {
  return {
    id: row.id,
    type: row.type,
    keyType: row.key_type,
    origin: row.origin,
    status: row.shown_status,
    parentId: row.parent_id,
    keyId: row.key_id,
    der: row.der,
    chain: row.chain,
    signMdl: row.sign_mdl,
    notBefore: row.not_before,
    notAfter: row.not_after,
    renewAt: row.renew_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
