import type { TenantId } from '../../caller.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { draftLeaf, hostName } from '../../crypto/x509/draft-certificate.ts'
import type { GeneralName } from '../../crypto/x509/extension.ts'
import { issueCertificate } from '../../crypto/x509/issue.ts'
import type { ProfileName } from '../../crypto/x509/profile.ts'
import { spkiOf } from '../../crypto/x509/signature.ts'
import { type Certificate, readCertificate } from '../../crypto/x509-path/certificate.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { crlUri } from '../revocation/publish-crl.ts'
import { isRootType, type LeafType, leafTypeOf, type TenantCertificate } from './certificate.ts'
import { insertNextLeaf } from './certificate-change-store.ts'
import type { NewCertificate } from './certificate-columns.ts'
import { findCertificate, findLeaf } from './certificate-store.ts'
import { fittingName } from './subject-name.ts'

/** What signing with a root needs. */
export type AuthorityNeeds = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config'>

/** Credentials round their time of issuance down to the hour, and clocks differ: a signer is valid a little before it is made. [SEC-28] */
export const BACKDATED_MS = 65 * 60_000
/** With the backdating still below the 457 days of ISO/IEC 18013-5 B.1.4. */
const LEAF_DAYS = 456
const DAY_MS = 86_400_000
/** Before two thirds of its life are over, and the sweep needs its time. */
const RENEWED_AT = 0.6

/** The time that something signed by a root is valid: its length, but never outside of the root's own. */
export function leafValidity({ notBefore, notAfter }: Certificate, now: Date): { notBefore: Date; notAfter: Date } {
  const start = Math.max(now.getTime() - BACKDATED_MS, notBefore.getTime())
  return { notBefore: new Date(start), notAfter: new Date(Math.min(start + LEAF_DAYS * DAY_MS, notAfter.getTime())) }
}

/** The profile of what is signed below a root of the tenant. */
export function leafProfile(type: LeafType, signMdl: boolean): ProfileName {
  if (type === 'verifierSignRequest') return 'readerAuth'
  return signMdl ? 'documentSigner' : 'sdJwtSigner'
}

/** The other names of the tenant's signers: the issuer address and its host [X5-6], or the host that takes responses [X5-7]. */
export function subjectNames({ urls }: Pick<Platform, 'urls'>, type: LeafType, slug: string): GeneralName[] {
  const host = hostName(urls.publicUrl)
  return type === 'verifierSignRequest' ? [host] : [{ kind: 'uri', value: urls.issuer(slug) }, host]
}

/**
 * Gives a root the leaf that it signs with, if it has none, a due one, or one from when we had another address. One that is inactive signs what is still to be said about what it
 * signed before, status lists; it gets its next leaf when that is asked for. Safe to call at any time and by many at once: one leaf is kept.
 *
 * @returns whether this call made it
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
  // A rival made the leaf.
  if (!isFirst) await made.drop()
  return isFirst
}

/** Before its end comes near, and when we have another address: it then names an issuer and a revocation list that are not there any more. */
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
  if (!isRootType(root.type)) throw new Error('a leaf below something that is no root')
  const type = leafTypeOf(root.type)
  const above = readCertificate(root.der)
  const profile = leafProfile(type, root.signMdl)
  const role = type === 'issuerSignCredential' ? 'Document Signer' : 'Verifier'
  const draft = draftLeaf({
    ...{ profile, root: above, rootAlg: rootKey.alg, spki: spkiOf(key.publicJwk), ...leafValidity(above, now) },
    subject: { country: above.subject.country ?? '', commonName: fittingName(tenant.name, role) },
    subjectNames: subjectNames(needs, type, tenant.slug),
    crlUri: crlUri(needs, tenant.slug, root.id),
  })
  const certificate = await issueCertificate(draft, profile, above, rootKey)
  const about = { id: newId(), type, keyType: root.keyType, parentId: root.id, keyId, signMdl: root.signMdl }
  return { ...about, origin: 'automatic', certificate, renewAt: renewalOf(certificate, above) }
}

/** The last leaf of a root ends with it: another one would not live longer. */
function renewalOf({ notBefore, notAfter }: Certificate, root: Certificate): Date {
  if (notAfter.getTime() === root.notAfter.getTime()) return notAfter
  return new Date(notBefore.getTime() + (notAfter.getTime() - notBefore.getTime()) * RENEWED_AT)
}
