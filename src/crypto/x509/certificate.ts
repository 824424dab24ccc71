import type { KeyObject } from 'node:crypto'
import { sha256 } from '../digest.ts'
import {
  bitsOf,
  type Der,
  derTags,
  derTimeOf,
  expected,
  integerBytesOf,
  malformedDer,
  onlyChildOf,
  sequenceOf,
  smallIntegerOf,
} from './der.ts'
import { type Extensions, readExtensions } from './extension.ts'
import { type Name, readName } from './name.ts'
import { checkAlgorithms, readPublicKey, readSigned, type Signed } from './signature.ts'

/** A parsed certificate. Nothing in it is verified. */
export type Certificate = Signed & {
  readonly der: Buffer
  /** SHA-256 of `der`, in hex. */
  readonly fingerprint: string
  readonly version: number
  /** Lower-case hex of the content octets. */
  readonly serial: string
  readonly issuer: Name
  readonly subject: Name
  readonly notBefore: Date
  readonly notAfter: Date
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer
  /** The bits of the public key, over which key identifiers are computed. */
  readonly keyBits: Buffer
  /**
   * null if node:crypto does not support the key. Imported when it is first read, which costs more than all the rest.
   */
  readonly publicKey: KeyObject | null
  readonly extensions: Extensions
}

/** Certificates for chains in JOSE headers are shorter. */
const BYTES_MAX = 16_384
/** RFC 5280 4.1.2.2: 20 octets, and a leading zero. */
const SERIAL_BYTES_MAX = 21

/**
 * Parses an X.509 certificate in strict DER. Every check, signatures included, uses this one result, so that no two
 * parsers can differ.
 *
 * @throws Fault `certificate.invalid`
 * @see [RFC 5280, 4.1](https://www.rfc-editor.org/rfc/rfc5280#section-4.1)
 */
export function readCertificate(bytes: Uint8Array): Certificate {
  if (bytes.length > BYTES_MAX) throw malformedDer(`it is longer than ${BYTES_MAX} bytes`)
  const der = Buffer.from(bytes)
  const { body, outer, signed } = readSigned(der)
  const { key, ...parts } = readBody(body, outer)
  let imported: KeyObject | null | undefined
  return {
    ...parts,
    ...signed,
    der,
    fingerprint: sha256(der).toString('hex'),
    get publicKey() {
      if (imported === undefined) imported = readPublicKey(key)
      return imported
    },
  }
}

/** Whether issuer and subject are the same name, byte for byte. NOT checked: the signature. */
export function isSelfIssued({ issuer, subject }: Pick<Certificate, 'issuer' | 'subject'>): boolean {
  return issuer.der.equals(subject.der)
}

function readBody(parts: readonly Der[], outer: Der | undefined) {
  const version = parts[0]?.tag === 0xa0 ? smallIntegerOf(onlyChildOf(parts[0])) + 1 : 1
  const [serial, algorithm, issuer, validity, subject, spki, ...rest] = version === 1 ? parts : parts.slice(1)
  const [notBefore, notAfter, ...extra] = sequenceOf(validity)
  // RFC 5280 4.1: [1] and [2] unique identifiers, [3] extensions, in that order
  const surplus = rest.some(({ tag }, at) => ![0x81, 0x82, 0xa3].includes(tag) || tag <= (rest[at - 1]?.tag ?? 0))
  const key = expected(spki, derTags.sequence)
  const [keyAlgorithm, keyBits, ...behind] = sequenceOf(key)
  if (surplus || extra.length > 0 || behind.length > 0) throw malformedDer('it has surplus parts')
  const extensions = rest.find(({ tag }) => tag === 0xa3)
  // RFC 5280 4.1.2.1; version 1 is the default, and DER leaves that out (X.690 11.5)
  if (version > 3 || (version < 3 && extensions !== undefined))
    throw malformedDer('its version is not that of its parts')
  checkAlgorithms(algorithm, outer)
  // Its form is checked here; the key is imported later.
  sequenceOf(keyAlgorithm)
  return {
    version,
    serial: serialOf(integerBytesOf(serial)),
    issuer: readName(issuer),
    subject: readName(subject),
    notBefore: derTimeOf(notBefore),
    notAfter: derTimeOf(notAfter),
    spki: key.whole,
    keyBits: bitsOf(keyBits),
    key,
    extensions: readExtensions(extensions && onlyChildOf(extensions)),
  }
}

function serialOf(bytes: Buffer): string {
  // RFC 5280 4.1.2.2: a positive integer of up to 20 octets
  if (bytes.length > SERIAL_BYTES_MAX || (bytes[0] ?? 0) >= 0x80)
    throw malformedDer('the serial number is negative or too long')
  return bytes.toString('hex')
}
