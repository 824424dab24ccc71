import type { Caller } from '../../caller.ts'
import type { ImportBody } from '../../contract/trust/signing-requests.ts'
import { type Certificate, readCertificate } from '../../crypto/x509/certificate.ts'
import { fromPem, toPem } from '../../crypto/x509/pem.ts'
import { Fault } from '../../fault.ts'
import { forgetSigners } from '../certificates/active-signer.ts'
import type { TenantCertificate } from '../certificates/certificate.ts'
import { insertForRequest } from '../certificates/certificate-change-store.ts'
import type { NewCertificate } from '../certificates/certificate-columns.ts'
import { getCertificate } from '../certificates/get-certificate.ts'
import type { AuthorityNeeds } from '../certificates/make-leaf.ts'
import { trustedAnchors } from '../trusted-entities/tenant-trust.ts'
import { checkImported } from './check-imported.ts'
import { getSigningRequest, notOpen } from './get-signing-request.ts'

/** Longer chains are not followed by wallets. */
const CHAIN_MAX = 5

/**
 * Imports the certificate that another authority signed for a signing request. The first of its kind and key type is
 * active, the next one is pending.
 *
 * @throws Fault `resource.unknown`, `state.invalid`, `certificate.invalid`, and those of {@link checkImported}
 */
export async function importCertificate(
  needs: AuthorityNeeds,
  caller: Caller,
  requestId: string,
  body: ImportBody,
  id: string,
): Promise<TenantCertificate> {
  const request = await getSigningRequest(needs, caller, requestId)
  if (request.status !== 'open') throw notOpen(request)
  const { leaf, chain } = readImport(body)
  const now = needs.clock.now()
  checkImported({ leaf, chain, trusted: await trustedAnchors(needs, caller.tenantId) }, request, now)
  const { type, keyType, keyId, signMdl } = request
  const certificate: NewCertificate = {
    id,
    type,
    keyType,
    keyId,
    signMdl,
    parentId: null,
    origin: 'request',
    certificate: leaf,
    chain: chain.map(({ der }) => toPem('CERTIFICATE', der)).join(''),
  }
  const subject = { kind: 'certificate', id: certificate.id } as const
  const entry = { action: 'certificate.imported', subject, by: caller, detail: { requestId } } as const
  const status = await needs.store.inTenant(caller.tenantId, (tx) =>
    insertForRequest(tx, certificate, requestId, entry, now),
  )
  // Completed by another request, or expired meanwhile.
  if (status === null) throw notOpen(await getSigningRequest(needs, caller, requestId))
  forgetSigners(needs, caller.tenantId)
  return getCertificate(needs, caller, certificate.id)
}

function readImport({ certificate, chain }: ImportBody): { leaf: Certificate; chain: readonly Certificate[] } {
  const [leaf, ...above] = readAt('/certificate', certificate)
  if (leaf === undefined) throw new Error('a PEM text without a block')
  const all = [...above, ...(chain ?? []).flatMap((text, index) => readAt(`/chain/${index}`, text))]
  // The certificate itself, or one above it, may be in both.
  const seen = new Set([leaf.fingerprint])
  const once = all.filter(({ fingerprint }) => !seen.has(fingerprint) && seen.add(fingerprint))
  if (once.length > CHAIN_MAX) {
    const detail = `The chain has ${once.length} certificates above "${leaf.subject.text}"; at most ${CHAIN_MAX} are taken.`
    throw new Fault('certificate.chain_broken', { detail, meta: { rule: 'chain.too_long' } })
  }
  return { leaf, chain: once }
}

function readAt(pointer: string, text: string): Certificate[] {
  try {
    return fromPem('CERTIFICATE', text).map((der) => readCertificate(der))
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    const violations = [{ detail: cause.detail ?? 'It cannot be read.', pointer }]
    throw new Fault('certificate.invalid', { violations, meta: { rule: 'form' }, cause })
  }
}
