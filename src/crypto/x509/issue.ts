import { Fault } from '../../fault.ts'
import type { SigningKey } from '../signing-key.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { bitString, derInteger, derTime, explicit, sequence } from './encode-der.ts'
import { type Extension, encodeExtensions } from './extension.ts'
import { lintCertificate } from './lint.ts'
import type { ProfileName } from './profile.ts'
import { algorithmOf, signDer } from './signature.ts'

/** The content of a certificate before it is signed. Names and the key are DER. */
export type CertificateDraft = {
  /** Big-endian, positive. */
  readonly serial: Buffer
  /** Algorithm of the key that will sign. */
  readonly alg: SigningKey['alg']
  readonly issuer: Buffer
  readonly notBefore: Date
  readonly notAfter: Date
  readonly subject: Buffer
  readonly spki: Buffer
  readonly extensions: readonly Extension[]
}

/**
 * Lints a draft, then signs it, so that a certificate that violates its profile never exists.
 *
 * @param root The certificate of the signing key; null for a self-signed one.
 * @throws Fault `certificate.refused` with the rule in `meta.rule`
 */
export async function issueCertificate(
  draft: CertificateDraft,
  profile: ProfileName,
  root: Certificate | null,
  key: SigningKey,
): Promise<Certificate> {
  if (key.alg !== draft.alg) throw new Error('the draft names the algorithm of another key')
  const body = encodeDraft(draft)
  // Read back with an empty signature, so that what is linted is what will be signed.
  const preview = readCertificate(sequence(body, algorithmOf(draft), bitString(Buffer.alloc(1))))
  const [first] = lintCertificate(preview, profile, root)
  if (first !== undefined) {
    throw new Fault('certificate.refused', {
      detail: `The certificate would violate its profile: ${first.text}`,
      meta: { rule: first.rule, profile },
    })
  }
  return readCertificate(await signDer(body, key))
}

/** @see [RFC 5280, 4.1](https://www.rfc-editor.org/rfc/rfc5280#section-4.1) */
function encodeDraft(draft: CertificateDraft): Buffer {
  return sequence(
    explicit(0, derInteger(2)),
    derInteger(draft.serial),
    algorithmOf(draft),
    draft.issuer,
    sequence(derTime(draft.notBefore), derTime(draft.notAfter)),
    draft.subject,
    draft.spki,
    explicit(3, encodeExtensions(draft.extensions)),
  )
}
