import type { KeyObject } from 'node:crypto'
import type { SigningKey } from '../signing-key.ts'
import { childrenOf, derTags, expected, integerBytesOf, malformedDer, oidOf, sequenceOf } from './der.ts'
import { derInteger, explicit, oid, sequence, setOf } from './encode-der.ts'
import { type Extension, type Extensions, encodeExtensions, readExtensions } from './extension.ts'
import { type Name, readName } from './name.ts'
import { oids } from './oids.ts'
import { isSignedBy, readPublicKey, readSigned, type Signed, signDer } from './signature.ts'

/** A parsed signing request. The extensions are only requested: an authority sets its own. [CSR-1] */
export type SigningRequest = Signed & {
  readonly der: Buffer
  readonly subject: Name
  readonly spki: Buffer
  readonly publicKey: KeyObject
  readonly extensions: Extensions
}

type RequestInput = { readonly subject: Buffer; readonly spki: Buffer; readonly extensions: readonly Extension[] }

/**
 * Creates a certificate signing request, signed with the subject's key.
 *
 * @see [RFC 2986, 4](https://www.rfc-editor.org/rfc/rfc2986#section-4)
 */
export function signRequest({ subject, spki, extensions }: RequestInput, key: SigningKey): Promise<Buffer> {
  const requested = sequence(oid(oids.extensionRequest), setOf(encodeExtensions(extensions)))
  return signDer(sequence(derInteger(0), subject, spki, explicit(0, requested)), key)
}

/** Parses a signing request. Verifies nothing: see {@link provesPossession}. @throws Fault `certificate.invalid` */
export function readSigningRequest(bytes: Uint8Array): SigningRequest {
  const der = Buffer.from(bytes)
  const { body, signed } = readSigned(der)
  const [version, subject, spki, attributes] = body
  // RFC 2986 4.1: v1 is written 0
  if (!integerBytesOf(version).equals(Buffer.from([0]))) throw malformedDer('it is a request of another version')
  const key = expected(spki, derTags.sequence)
  const publicKey = readPublicKey(key)
  if (publicKey === null) throw malformedDer('its kind of key is not supported')
  const requested = (attributes === undefined ? [] : childrenOf(expected(attributes, 0xa0))).flatMap((one) => {
    const [type, values] = sequenceOf(one)
    return oidOf(type) === oids.extensionRequest ? [childrenOf(expected(values, derTags.set))[0]] : []
  })
  return {
    ...signed,
    der,
    subject: readName(subject),
    spki: key.whole,
    publicKey,
    extensions: readExtensions(requested[0]),
  }
}

/** Whether the request is signed with the private key of its public key. [CSR-1] */
export function provesPossession(request: SigningRequest): boolean {
  return isSignedBy(request, request.publicKey)
}
