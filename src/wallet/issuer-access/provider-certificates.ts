import type { SigningKey } from '../../crypto/signing-key.ts'
import { type Certificate, readCertificate } from '../../crypto/x509/certificate.ts'
import { draftLeaf, draftRoot, subjectHost } from '../../crypto/x509/draft-certificate.ts'
import { issueCertificate } from '../../crypto/x509/issue.ts'
import { spkiOf } from '../../crypto/x509/signature.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { BACKDATED_MS, leafValidity } from '../../trust/certificates/make-leaf.ts'
import { fittingName } from '../../trust/certificates/subject-name.ts'
import {
  findProviderCertificate,
  insertProviderRoot,
  putProviderCertificate,
  ROOT,
} from './provider-certificate-store.ts'

/** What the certificates of the wallet provider need. */
export type ProviderNeeds = Pick<Platform, 'store' | 'keys' | 'urls' | 'clock'>
type Root = { readonly certificate: Certificate; readonly keyId: string }

/** Issuers configure the root by hand, so it is not replaced. */
const ROOT_YEARS = 19
/** A certificate that ends sooner is replaced; its key is normally rotated long before. */
const RENEWED_BEFORE_MS = 30 * 86_400_000
const noProfile = { crlUri: null, issuerAltNameUri: null }

/**
 * Returns the root of the wallet provider, which issuers trust for attestations; makes it if there is none. One for the
 * deployment.
 */
export async function providerRoot(needs: ProviderNeeds): Promise<Root> {
  const found = (await findRoot(needs)) ?? (await makeRoot(needs))
  if (found === null) throw new Error('the root that was just made is missing')
  return found
}

/**
 * Returns the certificate of an attesting key under {@link providerRoot}: made at first use, and again before it ends
 * or when the public URL that it names has changed.
 */
export async function certificateOfAttester(needs: ProviderNeeds, key: SigningKey): Promise<Certificate> {
  const { store, clock, urls } = needs
  const now = clock.now()
  const row = await store.single(platformTenantId, (tx) => findProviderCertificate(tx, key.kid))
  const found = row === null ? null : readCertificate(row.der)
  const isCurrent = found !== null && found.notAfter.getTime() > now.getTime() + RENEWED_BEFORE_MS
  if (isCurrent && found.extensions.subjectAltName.uris.includes(urls.publicUrl)) return found
  const root = await providerRoot(needs)
  const rootKey = await needs.keys.byId(platformTenantId, root.keyId)
  const draft = draftLeaf({
    ...noProfile,
    profile: 'attester',
    root: root.certificate,
    rootAlg: rootKey.alg,
    ...leafValidity(root.certificate, now),
    subject: { country: null, commonName: nameOf(needs, 'Wallet Provider') },
    subjectNames: [{ kind: 'uri', value: urls.publicUrl }, subjectHost(urls.publicUrl)],
    spki: spkiOf(key.publicJwk),
  })
  const made = await issueCertificate(draft, 'attester', root.certificate, rootKey)
  const values = { subject: key.kid, der: made.der, keyId: null, createdAt: now }
  await store.single(platformTenantId, (tx) => putProviderCertificate(tx, values))
  return made
}

async function findRoot({ store }: ProviderNeeds): Promise<Root | null> {
  const row = await store.single(platformTenantId, (tx) => findProviderCertificate(tx, ROOT))
  return row?.keyId == null ? null : { certificate: readCertificate(row.der), keyId: row.keyId }
}

async function makeRoot(needs: ProviderNeeds): Promise<Root | null> {
  const { store, keys, clock } = needs
  const now = clock.now()
  const notBefore = new Date(now.getTime() - BACKDATED_MS)
  const notAfter = new Date(now)
  notAfter.setUTCFullYear(now.getUTCFullYear() + ROOT_YEARS)
  const { id, key, keep, drop } = await keys.create(platformTenantId, 'ca', 'P-256')
  const subject = { country: null, commonName: nameOf(needs, 'Wallet Provider Root') }
  const draft = draftRoot({ ...noProfile, profile: 'attesterRoot', key, subject, notBefore, notAfter })
  const { der } = await issueCertificate(draft, 'attesterRoot', null, key)
  const isFirst = await store.inTenant(platformTenantId, async (tx) => {
    const isInserted = await insertProviderRoot(tx, { der, keyId: id, createdAt: now })
    if (isInserted) await keep(tx)
    return isInserted
  })
  // a concurrent call inserted the root
  if (!isFirst) await drop()
  return findRoot(needs)
}

function nameOf({ urls }: ProviderNeeds, role: string): string {
  return fittingName(new URL(urls.publicUrl).host, role)
}
