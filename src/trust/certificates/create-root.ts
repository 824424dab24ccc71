import type { Caller } from '../../caller.ts'
import type { RootBody } from '../../contract/trust/certificates.ts'
import { draftRoot } from '../../crypto/x509/draft-certificate.ts'
import { issueCertificate } from '../../crypto/x509/issue.ts'
import type { ProfileName } from '../../crypto/x509/profile.ts'
import { Fault, type Violation } from '../../fault.ts'
import { crlUri } from '../revocation/publish-crl.ts'
import { forgetSigners } from './active-signer.ts'
import { callingTenant } from './calling-tenant.ts'
import { canSignMdl, type TenantCertificate } from './certificate.ts'
import { insertNewRoot } from './certificate-change-store.ts'
import { getCertificate } from './get-certificate.ts'
import { type AuthorityNeeds, BACKDATED_MS, ensureLeaf } from './make-leaf.ts'
import { forgetOwnAnchors } from './own-anchors.ts'
import { fittingName, readSubjectName, subjectViolations } from './subject-name.ts'

const ROOT_YEARS = 5

/**
 * Creates a root certificate. The first of its kind and key type is active at once and gets a leaf; the next one is
 * pending.
 *
 * @throws Fault `request.invalid`, `certificate.refused`
 */
export async function createRoot(
  needs: AuthorityNeeds,
  caller: Caller,
  body: RootBody,
  id: string,
): Promise<TenantCertificate> {
  const { type, keyType } = body
  const violations = rootViolations(body)
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  const tenant = await callingTenant(needs, caller)
  const subject = readSubjectName(body, fittingName(tenant.name, roleOf(body)))
  const issuerAltNameUri = inAscii(body.issuerAlternativeNameUrl)
  const now = needs.clock.now()
  const { key, id: keyId, keep } = await needs.keys.create(tenant.id, 'ca', keyType)
  const profile = profileOf(body)
  const crl = crlUri(needs, tenant.slug, id)
  const draft = draftRoot({ profile, key, subject, issuerAltNameUri, crlUri: crl, ...validityOf(now) })
  const certificate = await issueCertificate(draft, profile, null, key)
  const about = { id, type, keyType, keyId, certificate, parentId: null, signMdl: canSignMdl(type, keyType) }
  const entry = {
    action: 'certificate.created',
    subject: { kind: 'certificate', id },
    by: caller,
    detail: { type, keyType },
  } as const
  const status = await needs.store.inTenant(tenant.id, async (tx) => {
    await keep(tx)
    return insertNewRoot(tx, { ...about, origin: 'root' }, entry, now)
  })
  if (status === 'active') await ensureLeaf(needs, tenant.id, id)
  forgetSigners(needs, tenant.id)
  forgetOwnAnchors(needs, tenant.id)
  return getCertificate(needs, caller, id)
}

function profileOf({ type, keyType }: RootBody): ProfileName {
  if (type === 'verifierRoot') return 'readerRoot'
  return keyType === 'P-256' ? 'iaca' : 'issuerRoot'
}

function roleOf({ type, keyType }: RootBody): string {
  if (type === 'verifierRoot') return 'Reader Root'
  return keyType === 'P-256' ? 'IACA' : 'Issuer Root'
}

function validityOf(now: Date): { notBefore: Date; notAfter: Date } {
  const notAfter = new Date(now)
  notAfter.setUTCFullYear(now.getUTCFullYear() + ROOT_YEARS)
  return { notBefore: new Date(now.getTime() - BACKDATED_MS), notAfter }
}

/** Returns the violations of the members that its schema accepts. */
export function rootViolations(body: Partial<RootBody>): readonly Violation[] {
  const { issuerAlternativeNameUrl: text } = body
  if (text === undefined || isWebAddress(text)) return subjectViolations(body)
  const detail = 'It must be an absolute http or https URL without a user name.'
  return [...subjectViolations(body), { detail, pointer: '/issuerAlternativeNameUrl' }]
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** Returns a URL in ASCII, since it becomes an IA5String. */
function inAscii(url: string): string {
  return /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href
}
