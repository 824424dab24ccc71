import type { Caller } from '../../caller.ts'
import type { LeafType } from '../../contract/trust/certificates.ts'
import type { SignBody } from '../../contract/trust/signing-requests.ts'
import { type Certificate, readCertificate } from '../../crypto/x509/certificate.ts'
import { crlLimits } from '../../crypto/x509/crl.ts'
import { draftLeaf } from '../../crypto/x509/draft-certificate.ts'
import { issueCertificate } from '../../crypto/x509/issue.ts'
import { keyIdentifierOf } from '../../crypto/x509/key-identifier.ts'
import { oids } from '../../crypto/x509/oids.ts'
import { fromPem } from '../../crypto/x509/pem.ts'
import { provesPossession, readSigningRequest, type SigningRequest } from '../../crypto/x509/signing-request.ts'
import { Fault } from '../../fault.ts'
import type { KeyType } from '../../keys/key-provider.ts'
import { forgetSigners } from '../certificates/active-signer.ts'
import { callingTenant } from '../certificates/calling-tenant.ts'
import { isRootType, leafTypeOf, type TenantCertificate } from '../certificates/certificate.ts'
import { insertForForeignKey, insertForRequest } from '../certificates/certificate-change-store.ts'
import type { NewCertificate } from '../certificates/certificate-columns.ts'
import { countSigned } from '../certificates/certificate-store.ts'
import { getCertificate } from '../certificates/get-certificate.ts'
import { type AuthorityNeeds, leafProfile, leafValidity, subjectNames } from '../certificates/make-leaf.ts'
import { crlUri } from '../revocation/publish-crl.ts'
import { getSigningRequest, notOpen } from './get-signing-request.ts'
import type { TenantSigningRequest } from './signing-request.ts'
import { findRequestByKey } from './signing-request-store.ts'

/** A parsed signing request, and the tenant's own row of it if there is one. */
type RequestToSign = { readonly csr: SigningRequest; readonly own: TenantSigningRequest | null }

/**
 * Signs a request with a root of the tenant. Of the request only key, country and common name go into the certificate;
 * all extensions are the root's. [CSR-1]
 *
 * For a request of the tenant the first certificate of its kind and key type is active, the next one is pending. A
 * certificate for an external key is inactive, since the tenant does not sign with it; it can be revoked.
 *
 * @throws Fault `resource.unknown`, `state.invalid`, `certificate.invalid`, `signing_request.unproven`,
 *   `certificate.other_country`, `certificate.incapable_root`, `certificate.refused`
 */
export async function signSigningRequest(
  needs: AuthorityNeeds,
  caller: Caller,
  rootId: string,
  body: SignBody,
  id: string,
): Promise<TenantCertificate> {
  const root = await getCertificate(needs, caller, rootId)
  checkRoot(root)
  const { csr, own } = await findRequest(needs, caller, body)
  const row = { ...(await drafted(needs, caller, root, { csr, own })), id }
  const now = needs.clock.now()
  const about = { rootId, ...(own !== null && { requestId: own.id }) }
  const entry = {
    action: 'certificate.signed',
    subject: { kind: 'certificate', id: row.id },
    by: caller,
    detail: about,
  } as const
  const status = await needs.store.inTenant(caller.tenantId, (tx) =>
    own === null ? insertForForeignKey(tx, row, entry, now) : insertForRequest(tx, row, own.id, entry, now),
  )
  if (status === null) {
    checkRoot(await getCertificate(needs, caller, rootId))
    await checkRoom(needs, caller, rootId)
    if (own !== null) throw notOpen({ status: 'completed' })
    // [SEC-81]
    const detail = 'The root has signed this key before. Create a signing request with a new key.'
    throw new Fault('state.invalid', { detail, meta: { rule: 'key' } })
  }
  forgetSigners(needs, caller.tenantId)
  return getCertificate(needs, caller, row.id)
}

function checkRoot({ type, status }: TenantCertificate): void {
  if (!isRootType(type))
    throw new Fault('state.invalid', { detail: 'Only a root can sign, and this certificate is not a root.' })
  if (status === 'revoked' || status === 'expired') {
    throw new Fault('state.invalid', { detail: `The root is ${status}.`, meta: { status } })
  }
}

/** Every certificate that a root signed may be revoked, and its revocation list is bounded. */
async function checkRoom({ store }: AuthorityNeeds, { tenantId }: Caller, rootId: string): Promise<void> {
  if ((await store.single(tenantId, (tx) => countSigned(tx, rootId))) < crlLimits.entries) return
  const detail = `The root has signed ${crlLimits.entries} certificates, which is the maximum. Create another root.`
  throw new Fault('certificate.incapable_root', { detail, meta: { rule: 'full' } })
}

/** A request in PEM may be one of the tenant: then it is completed. */
async function findRequest(
  needs: AuthorityNeeds,
  caller: Caller,
  { csrId, csr: pem }: SignBody,
): Promise<RequestToSign> {
  const sent = pem === undefined ? null : readRequest(pem)
  const own =
    sent === null
      ? await getSigningRequest(needs, caller, csrId ?? '')
      : await needs.store.single(caller.tenantId, (tx) =>
          findRequestByKey(tx, keyIdentifierOf(sent.spki), needs.clock.now()),
        )
  if (own !== null && own.status !== 'open') throw notOpen(own)
  const csr = own === null ? sent : readSigningRequest(own.der)
  if (csr === null) throw new Error('neither a request nor its id')
  // [CSR-1]
  if (!provesPossession(csr)) throw new Fault('signing_request.unproven', { meta: { rule: 'possession' } })
  return { csr, own }
}

function readRequest(pem: string): SigningRequest {
  const [der] = fromPem('CERTIFICATE REQUEST', pem)
  return readSigningRequest(der ?? Buffer.alloc(0))
}

async function drafted(
  needs: AuthorityNeeds,
  caller: Caller,
  root: TenantCertificate,
  { csr, own }: RequestToSign,
): Promise<Omit<NewCertificate, 'id'>> {
  const above = readCertificate(root.der)
  const requested = requestedOf(root, above, { csr, own })
  const { slug, settings } = await callingTenant(needs, caller)
  const rootKey = await needs.keys.byId(caller.tenantId, root.keyId ?? '')
  const profile = leafProfile(requested.type, requested.signMdl, settings)
  const draft = draftLeaf({
    profile,
    root: above,
    rootAlg: rootKey.alg,
    spki: csr.spki,
    ...leafValidity(above, needs.clock.now()),
    subject: { country: csr.subject.country ?? '', commonName: csr.subject.commonName ?? '' },
    subjectNames: subjectNames(needs, requested.type, slug),
    crlUri: crlUri(needs, slug, root.id),
  })
  const certificate = await issueCertificate(draft, profile, above, rootKey)
  const origin = own === null ? 'foreign' : 'request'
  return { ...requested, origin, parentId: root.id, keyId: own?.keyId ?? null, certificate }
}

function requestedOf(
  root: TenantCertificate,
  above: Certificate,
  { csr, own }: RequestToSign,
): { type: LeafType; signMdl: boolean; keyType: KeyType } {
  if (!isRootType(root.type)) throw new Error('checked before')
  const type = leafTypeOf(root.type)
  const requestsMdl = csr.extensions.extendedKeyUsage?.includes(oids.mdlDocumentSigner) === true
  const signMdl = own?.signMdl ?? (requestsMdl && type === 'issuerSignCredential')
  const refuse = (rule: string, detail: string) => {
    throw new Fault('certificate.incapable_root', { detail, meta: { rule } })
  }
  if (own !== null && own.type !== type) {
    refuse(
      'type',
      `A root of the type ${root.type} signs requests of the type ${type}; this one is of the type ${own.type}.`,
    )
  }
  if (signMdl && !root.signMdl) {
    refuse(
      'capability',
      'The root cannot certify signers of mobile driving licences: that requires an issuer root with a P-256 key.',
    )
  }
  // ISO/IEC 18013-5 B.1.4: the country of the authority
  if (csr.subject.country !== above.subject.country) {
    const countries = `the request names ${csr.subject.country ?? 'none'}, the root ${above.subject.country ?? 'none'}`
    throw new Fault('certificate.other_country', {
      detail: `The countries differ: ${countries}.`,
      meta: { rule: 'country' },
    })
  }
  return { type, signMdl, keyType: csr.publicKey.asymmetricKeyType === 'ed25519' ? 'Ed25519' : 'P-256' }
}
