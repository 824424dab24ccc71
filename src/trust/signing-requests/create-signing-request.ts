import type { Caller } from '../../caller.ts'
import type { SigningRequestBody } from '../../contract/trust/signing-requests.ts'
import { extendedKeyUsage, keyUsage, subjectAltName, subjectKeyIdentifier } from '../../crypto/x509/extension.ts'
import { keyIdentifierOf } from '../../crypto/x509/key-identifier.ts'
import { encodeName } from '../../crypto/x509/name.ts'
import { oids } from '../../crypto/x509/oids.ts'
import { spkiOf } from '../../crypto/x509/signature.ts'
import { signRequest } from '../../crypto/x509/signing-request.ts'
import { Fault, type Violation } from '../../fault.ts'
import { callingTenant } from '../certificates/calling-tenant.ts'
import { type AuthorityNeeds, subjectNames } from '../certificates/make-leaf.ts'
import { fittingName, readSubjectName, subjectViolations } from '../certificates/subject-name.ts'
import type { TenantSigningRequest } from './signing-request.ts'
import { insertSigningRequest } from './signing-request-store.ts'

/** [CSR-3] */
const OPEN_DAYS = 30
const DAY_MS = 86_400_000

/**
 * Creates a key and a signing request for it, to be signed by another authority or by a root of the tenant.
 *
 * @throws Fault `request.invalid`
 */
export async function createSigningRequest(
  needs: AuthorityNeeds,
  caller: Caller,
  body: SigningRequestBody,
  id: string,
): Promise<TenantSigningRequest> {
  const { type, keyType } = body
  const violations = signingRequestViolations(body)
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  const signMdl = body.capabilities?.signMdl ?? false
  const tenant = await callingTenant(needs, caller)
  const role = type === 'issuerSignCredential' ? 'Document Signer' : 'Verifier'
  const subject = readSubjectName(body, fittingName(tenant.name, role))
  const now = needs.clock.now()
  const { key, id: keyId, keep } = await needs.keys.create(tenant.id, 'leaf', keyType)
  const spki = spkiOf(key.publicJwk)
  const subjectKeyId = keyIdentifierOf(spki)
  // [X5-6] [X5-7]
  const extensions = [
    keyUsage('digitalSignature'),
    ...(signMdl ? [extendedKeyUsage(oids.mdlDocumentSigner)] : []),
    ...(type === 'verifierSignRequest' ? [extendedKeyUsage(oids.mdlReaderAuth)] : []),
    subjectAltName(subjectNames(needs, type, tenant.slug)),
    subjectKeyIdentifier(subjectKeyId),
  ]
  const der = await signRequest({ subject: encodeName(subject), spki, extensions }, key)
  const expiresAt = new Date(now.getTime() + OPEN_DAYS * DAY_MS)
  const state = { status: 'open', certificateId: null, expiresAt, createdAt: now, updatedAt: now } as const
  const request = { id, type, keyType, country: subject.country, signMdl, keyId, der, subjectKeyId, ...state }
  const about = { kind: 'certificate_signing_request', id: request.id } as const
  const detail = { type, keyType }
  const entry = { action: 'certificate_signing_request.created', subject: about, by: caller, detail } as const
  await needs.store.inTenant(tenant.id, async (tx) => {
    await keep(tx)
    await insertSigningRequest(tx, request, entry)
  })
  return request
}

/** Returns the violations of the members that its schema accepts. */
export function signingRequestViolations(body: Partial<SigningRequestBody>): readonly Violation[] {
  const { type, capabilities } = body
  const violations = subjectViolations(body)
  const maySignMdl = type === undefined || type === 'issuerSignCredential'
  if (maySignMdl || capabilities?.signMdl !== true) return violations
  const detail = 'Only a certificate of the type issuerSignCredential can sign mobile driving licences.'
  return [...violations, { detail, pointer: '/capabilities/signMdl' }]
}
