import type { SigningKey } from '../signing-key.ts'
import { type Certificate, readCertificate } from '../x509-path/certificate.ts'
import { bitString, explicit, integer, sequence, time } from './der.ts'
import { type Extension, encodeExtensions } from './extension.ts'
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

/** Reads the draft back as a certificate with an empty signature, for checks before it is signed. */
export function previewOf(draft: CertificateDraft): Certificate {
  return readCertificate(sequence(encodeDraft(draft), algorithmOf(draft), bitString(Buffer.alloc(1))))
}

/** Signs a draft. Lint it first: a signed certificate cannot be withdrawn. @returns the certificate in DER */
export async function signDraft(draft: CertificateDraft, key: SigningKey): Promise<Buffer> {
  if (key.alg !== draft.alg) throw new Error('the draft names the algorithm of another key')
  return signDer(encodeDraft(draft), key)
}

/** @see [RFC 5280, 4.1](https://www.rfc-editor.org/rfc/rfc5280#section-4.1) */
function encodeDraft(draft: CertificateDraft): Buffer {
  return sequence(
    explicit(0, integer(2)),
    integer(draft.serial),
    algorithmOf(draft),
    draft.issuer,
    sequence(time(draft.notBefore), time(draft.notAfter)),
    draft.subject,
    draft.spki,
    explicit(3, encodeExtensions(draft.extensions)),
  )
}
