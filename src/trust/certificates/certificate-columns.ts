import type { CertificateOrigin, CertificateType } from '../../contract/trust/certificates.ts'
import type { Certificate } from '../../crypto/x509/certificate.ts'
import type { TenantCertificate } from './certificate.ts'
import { kindOf } from './certificate.ts'

/** A certificate to insert: what its row holds besides what the certificate itself says. */
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

/**
 * SQL condition on a table or alias: the tenant signs with the row's certificate, as the one of its kind and key type.
 */
export function signerIn(table: string): string {
  return `${table}.status = 'active' and ${table}.origin in ('root', 'request')`
}

/** SQL: how many certificates a root has signed. All of them may be revoked, also after their end. */
export function countBelow(tenantId: string, rootId: string): string {
  return `(select count(*)::int from certificate below where below.tenant_id = ${tenantId} and below.parent_id = ${rootId})`
}

/** SQL: the status of certificate `c` at $2, where `p` is the root above it. */
export const shownStatus = `case
  when c.status = 'revoked' or p.status = 'revoked' then 'revoked'
  when c.not_after <= $2 then 'expired'
  when c.origin = 'automatic' and c.status = 'active' and (p.status <> 'active' or p.not_after <= $2) then 'inactive'
  else c.status end`
/** Selects rows as {@link TenantCertificate}; $1 is the tenant, $2 the time of reading. */
export const selectCertificates = `select c.id, c.type, c.key_type as "keyType", c.origin, ${shownStatus} as status, c.parent_id as "parentId",
    c.key_id as "keyId", c.der, c.chain, c.sign_mdl as "signMdl", c.not_before as "notBefore", c.not_after as "notAfter",
    c.renew_at as "renewAt", c.created_at as "createdAt", c.updated_at as "updatedAt"
  from certificate c left join certificate p on p.tenant_id = c.tenant_id and p.id = c.parent_id
  where c.tenant_id = $1`

/** Returns an INSERT from the JSON of {@link valuesOf}. `status` is SQL; `from` names the CTEs that it depends on. */
export function insertCertificate(status: string, from: string): string {
  return `insert into certificate (tenant_id, id, type, kind, key_type, origin, status, parent_id, key_id, der, chain, subject_key_id, serial,
      sign_mdl, not_before, not_after, renew_at, destroy_key_at, created_at, updated_at)
    select $1, r.id, r.type, r.kind, r.key_type, r.origin, ${status}, r.parent_id, r.key_id, r.der, r.chain, r.subject_key_id, r.serial,
      r.sign_mdl, r.not_before, r.not_after, r.renew_at, r.destroy_key_at, $2, $2
    from jsonb_populate_record(null::certificate, $3::jsonb) as r${from}`
}

/** Returns the JSON that {@link insertCertificate} reads, with bytea in PostgreSQL's hex form. */
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
