import type { TenantId } from '../../caller.ts'
import type { LeafType } from '../../contract/trust/certificates.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { type Certificate, readCertificate } from '../../crypto/x509/certificate.ts'
import { draftLeaf, subjectHost } from '../../crypto/x509/draft-certificate.ts'
import type { GeneralName } from '../../crypto/x509/extension.ts'
import { issueCertificate } from '../../crypto/x509/issue.ts'
import type { ProfileName } from '../../crypto/x509/profile.ts'
import { spkiOf } from '../../crypto/x509/signature.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { Platform } from '../../platform.ts'
import { idAt } from '../../store/row-id.ts'
import { crlUri } from '../revocation/publish-crl.ts'
import { isRootType, leafTypeOf, type TenantCertificate } from './certificate.ts'
import { insertNextLeaf } from './certificate-change-store.ts'
import type { NewCertificate } from './certificate-columns.ts'
import { findCertificate, findLeaf } from './certificate-store.ts'
import { fittingName } from './subject-name.ts'

/** What signing with a root needs. */
export type AuthorityNeeds = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>

/**
 * Credentials round their time of issuance down to the hour, and clocks differ: a signer is valid a little before its
 * creation. [SEC-28]
 */
export const BACKDATED_MS = 65 * 60_000
/** Including the backdating below the 457 days of ISO/IEC 18013-5 B.1.4. */
const LEAF_DAYS = 456
const DAY_MS = 86_400_000
/** Share of its lifetime after which a leaf is renewed. */
const RENEWED_AT = 0.6

/** Returns the validity of a certificate signed by a root, within that of the root. */
export function leafValidity({ notBefore, notAfter }: Certificate, now: Date): { notBefore: Date; notAfter: Date } {
  const start = Math.max(now.getTime() - BACKDATED_MS, notBefore.getTime())
  return { notBefore: new Date(start), notAfter: new Date(Math.min(start + LEAF_DAYS * DAY_MS, notAfter.getTime())) }
}

/**
 * Returns the profile of a certificate below a root of the tenant. `settings`: of the tenant, which may limit signers
 * of mdocs to one usage.
 */
export function leafProfile(
  type: LeafType,
  signMdl: boolean,
  { documentSignerUsages }: Tenant['settings'],
): ProfileName {
  if (type === 'verifierSignRequest') return 'readerAuth'
  if (!signMdl) return 'sdJwtSigner'
  return documentSignerUsages === 'mdl' ? 'mdlSigner' : 'documentSigner'
}

/**
 * Returns the subject alternative names of a signer: the issuer address and its host [X5-6], or the host that receives
 * responses [X5-7].
 */
export function subjectNames({ urls }: Pick<Platform, 'urls'>, type: LeafType, slug: string): GeneralName[] {
  const host = subjectHost(urls.publicUrl)
  return type === 'verifierSignRequest' ? [host] : [{ kind: 'uri', value: urls.issuer(slug) }, host]
}

/**
 * Makes the leaf of a root if it has none, or one that is due for renewal or names another public URL. An inactive root
 * still signs the status lists of its credentials, so it gets its next leaf on demand. Idempotent; of concurrent calls
 * one inserts the leaf.
 *
 * @returns whether this call inserted it
 */
export async function ensureLeaf(needs: AuthorityNeeds, tenantId: TenantId, rootId: string): Promise<boolean> {
  const now = needs.clock.now()
  const root = await needs.store.single(tenantId, (tx) => findCertificate(tx, rootId, now))
  const tenant = await findTenantOf(needs, tenantId)
  const isUsed = root?.status === 'active' || root?.status === 'inactive'
  if (!isUsed || root.origin !== 'root' || root.keyId === null || tenant === null) return false
  const leaf = await needs.store.single(tenantId, (tx) => findLeaf(tx, rootId, now))
  if (leaf !== null && !isDue(leaf, needs.urls.issuer(tenant.slug), now)) return false
  const rootKey = await needs.keys.byId(tenantId, root.keyId)
  const made = await needs.keys.create(tenantId, 'leaf', root.keyType)
  const row = await draftedLeaf(needs, tenant, root, { rootKey, key: made.key, keyId: made.id }, now)
  const subject = { kind: 'certificate', id: row.id } as const
  const entry = { action: 'certificate.issued', subject, by: 'system', detail: { rootId } } as const
  const isFirst = await needs.store.inTenant(tenantId, async (tx) => {
    const status = await insertNextLeaf(tx, row, needs.urls.issuer(tenant.slug), entry, now)
    if (status !== null) await made.keep(tx)
    return status !== null
  })
  // A concurrent call inserted the leaf.
  if (!isFirst) await made.drop()
  return isFirst
}

/**
 * Near the end of its lifetime, or when the public URL changed: it then names an issuer and a revocation list that no
 * longer exist.
 */
function isDue({ renewAt, der }: TenantCertificate, issuer: string, now: Date): boolean {
  return renewAt === null || renewAt <= now || !der.includes(issuer)
}

type Keys = { readonly rootKey: SigningKey; readonly key: SigningKey; readonly keyId: string }

async function draftedLeaf(
  needs: AuthorityNeeds,
  tenant: Tenant,
  root: TenantCertificate,
  { rootKey, key, keyId }: Keys,
  now: Date,
): Promise<NewCertificate> {
  if (!isRootType(root.type)) throw new Error('a leaf requires a root')
  const type = leafTypeOf(root.type)
  const above = readCertificate(root.der)
  const profile = leafProfile(type, root.signMdl, tenant.settings)
  const role = type === 'issuerSignCredential' ? 'Document Signer' : 'Verifier'
  const draft = draftLeaf({
    profile,
    root: above,
    rootAlg: rootKey.alg,
    spki: spkiOf(key.publicJwk),
    ...leafValidity(above, now),
    subject: { country: above.subject.country ?? '', commonName: fittingName(tenant.name, role) },
    subjectNames: subjectNames(needs, type, tenant.slug),
    crlUri: crlUri(needs, tenant.slug, root.id),
  })
  const certificate = await issueCertificate(draft, profile, above, rootKey)
  const about = { id: idAt(now), type, keyType: root.keyType, parentId: root.id, keyId, signMdl: root.signMdl }
  return { ...about, origin: 'automatic', certificate, renewAt: renewalOf(certificate, above) }
}

/** The last leaf of a root expires with it, so it is not renewed before. */
function renewalOf({ notBefore, notAfter }: Certificate, root: Certificate): Date {
  if (notAfter.getTime() === root.notAfter.getTime()) return notAfter
  return new Date(notBefore.getTime() + (notAfter.getTime() - notBefore.getTime()) * RENEWED_AT)
}
