import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { CertificateKind, CertificateStatus, CertificateType, RootType, TenantCertificate } from './certificate.ts'
import {
  type CertificateRow,
  certificateOfRow,
  selectCertificates,
  shownStatus,
  signerIn,
} from './certificate-columns.ts'

const selectOne = sql('trust.certificate.find', `${selectCertificates} and c.id = $3`)
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
  'trust.certificate.leaf',
  `${selectCertificates} and c.parent_id = $3 and c.origin = 'automatic' and c.status = 'active' and c.not_after > $2`,
)
const selectSigner = sql(
  'trust.certificate.signer',
  `${selectCertificates} and c.kind = $3 and ${signerIn('c')} and ${shownStatus} = 'active' and ($4::text is null or c.key_type = $4)
   order by c.key_type = 'P-256' desc limit 1`,
)
const selectRoots = sql(
  'trust.certificate.roots',
  `select type, der from certificate where tenant_id = $1 and origin = 'root' and status <> 'revoked' order by id`,
)

/** What a list may be narrowed down to. */
export type CertificateFilter = {
  readonly type?: CertificateType | undefined
  readonly status?: CertificateStatus | undefined
  readonly keyType?: TenantCertificate['keyType'] | undefined
}

/** Any certificate of the tenant. */
export async function findCertificate(tx: TenantTx, id: string, now: Date): Promise<TenantCertificate | null> {
  return only(await tx.rows(selectOne, [tx.tenantId, now, id]))
}

/** One page, one row more than asked for if there are more. */
export async function listCertificates(
  tx: TenantTx,
  ask: PageRequest,
  filter: CertificateFilter,
  now: Date,
): Promise<TenantCertificate[]> {
  return (await page<CertificateRow>(tx, ask, [tx.tenantId, now], filter)).map(certificateOfRow)
}

/** The leaf that a root signs with, due or not. */
export async function findLeaf(tx: TenantTx, rootId: string, now: Date): Promise<TenantCertificate | null> {
  return only(await tx.rows(selectLeaf, [tx.tenantId, now, rootId]))
}

/** The active root or requested certificate of a kind; P-256 before Ed25519 unless told. */
export async function findSigner(
  tx: TenantTx,
  kind: CertificateKind,
  keyType: TenantCertificate['keyType'] | null,
  now: Date,
): Promise<TenantCertificate | null> {
  return only(await tx.rows(selectSigner, [tx.tenantId, now, kind, keyType]))
}

/** The roots that vouch for something: those that are not revoked. Whether one has expired is for the reader to see. */
export async function listRoots(tx: TenantTx): Promise<{ type: RootType; der: Buffer }[]> {
  return tx.rows(selectRoots, [tx.tenantId])
}

function only(rows: readonly unknown[]): TenantCertificate | null {
  const [row] = rows
  return row === undefined ? null : certificateOfRow(row as CertificateRow)
}
