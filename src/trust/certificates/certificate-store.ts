import type { CertificateStatus, CertificateType, RootType } from '../../contract/trust/certificates.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { CertificateKind, TenantCertificate } from './certificate.ts'
import { countBelow, selectCertificates, shownStatus, signerIn } from './certificate-columns.ts'

const selectOne = sql('trust.find_certificate', `${selectCertificates} and c.id = $3`)
const page = pagedList({
  name: 'trust.certificates',
  select: selectCertificates,
  parameters: 2,
  id: 'c.id',
  sorts: { expiresAt: 'c.not_after' },
  rows: 'certificate c where c.tenant_id = $1',
  filters: {
    type: (value) => `c.type = ${value}`,
    status: (value) => `${shownStatus} = ${value}`,
    keyType: (value) => `c.key_type = ${value}`,
  },
})
const selectLeaf = sql(
  'trust.find_leaf',
  `${selectCertificates} and c.parent_id = $3 and c.origin = 'automatic' and c.status = 'active' and c.not_after > $2`,
)
const selectSigner = sql(
  'trust.find_signer',
  `${selectCertificates} and c.kind = $3 and ${signerIn('c')} and ${shownStatus} = 'active' and ($4::text is null or c.key_type = $4)
   order by c.key_type = 'P-256' desc limit 1`,
)
const selectRoots = sql(
  'trust.list_roots',
  `select type, der from certificate where tenant_id = $1 and origin = 'root' and status <> 'revoked' order by id`,
)
const selectEnding = sql(
  'trust.count_ending',
  `select count(*)::int as count from certificate
   where tenant_id = $1 and status = 'active' and origin in ('root', 'request') and not_after <= $2`,
)
const selectUsable = sql(
  'trust.list_usable',
  `select id from certificate where tenant_id = $1 and id = any($2::uuid[]) and status <> 'revoked' and not_after > $3`,
)
const selectCount = sql('trust.count_signed', `select ${countBelow('$1', '$2::uuid')} as count`)

/** Filters of the list of certificates. */
type CertificateFilter = {
  readonly type?: CertificateType | undefined
  readonly status?: CertificateStatus | undefined
  readonly keyType?: TenantCertificate['keyType'] | undefined
}

/** Returns a certificate of the tenant, of whatever type and status. */
export async function findCertificate(tx: TenantTx, id: string, now: Date): Promise<TenantCertificate | null> {
  return first(await tx.rows<TenantCertificate>(selectOne, [tx.tenantId, now, id]))
}

/** Returns one page, and one row more if there is a next page. */
export async function listCertificates(
  tx: TenantTx,
  request: PageRequest,
  filter: CertificateFilter,
  now: Date,
): Promise<TenantCertificate[]> {
  return page<TenantCertificate>(tx, request, [tx.tenantId, now], filter)
}

/** Returns the leaf that a root signs with, due for renewal or not. */
export async function findLeaf(tx: TenantTx, rootId: string, now: Date): Promise<TenantCertificate | null> {
  return first(await tx.rows<TenantCertificate>(selectLeaf, [tx.tenantId, now, rootId]))
}

/** Returns the active root or requested certificate of a kind. `keyType` null: P-256 before Ed25519. */
export async function findSigner(
  tx: TenantTx,
  kind: CertificateKind,
  keyType: TenantCertificate['keyType'] | null,
  now: Date,
): Promise<TenantCertificate | null> {
  return first(await tx.rows<TenantCertificate>(selectSigner, [tx.tenantId, now, kind, keyType]))
}

/** Returns the roots that are not revoked, expired ones included. */
export async function listRoots(tx: TenantTx): Promise<{ type: RootType; der: Buffer }[]> {
  return tx.rows(selectRoots, [tx.tenantId])
}

/** Returns how many certificates a root has signed. */
export async function countSigned(tx: TenantTx, rootId: string): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(selectCount, [tx.tenantId, rootId])
  return row?.count ?? 0
}

function first([row]: readonly TenantCertificate[]): TenantCertificate | null {
  return row ?? null
}

/** Returns those of the certificates that are neither revoked nor expired. */
export async function listUsable(tx: TenantTx, ids: readonly string[], now: Date): Promise<string[]> {
  return (await tx.rows<{ id: string }>(selectUsable, [tx.tenantId, ids, now])).map(({ id }) => id)
}

/**
 * Counts the active certificates that end until a time, or have ended. A leaf that the server renews by itself is not
 * counted.
 */
export async function countEnding(tx: TenantTx, until: Date): Promise<number> {
  return (await tx.rows<{ count: number }>(selectEnding, [tx.tenantId, until]))[0]?.count ?? 0
}
