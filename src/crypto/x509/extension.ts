import { boolean, explicit, implicit, integer, namedBits, octetString, oid, sequence } from './der.ts'
import { oids } from './oids.ts'

/** One extension; `value` is the DER inside of its OCTET STRING. */
export type Extension = { readonly oid: string; readonly critical: boolean; readonly value: Buffer }

/** A general name of a supported kind. @see RFC 5280, 4.2.1.6 */
export type GeneralName = { readonly kind: 'email' | 'dns' | 'uri' | 'ip'; readonly value: string }

/** Bit numbers of the key usages in our profiles. @see RFC 5280, 4.2.1.3 */
export const keyUsages = { digitalSignature: 0, keyCertSign: 5, cRLSign: 6 } as const

/** The context tags of general names. */
export const generalNameTags = { email: 1, dns: 2, uri: 6, ip: 7 } as const

/** Extensions as a certificate or a request carries them. */
export function encodeExtensions(extensions: readonly Extension[]): Buffer {
  return sequence(
    ...extensions.map(({ oid: type, critical, value }) =>
      // FALSE is the default, and DER leaves defaults out (X.690, 11.5).
      critical ? sequence(oid(type), boolean(true), octetString(value)) : sequence(oid(type), octetString(value)),
    ),
  )
}

/** @param keyId SHA-1 of the key's bits. */
export function subjectKeyIdentifier(keyId: Buffer): Extension {
  return { oid: oids.subjectKeyId, critical: false, value: octetString(keyId) }
}

/** Names the key that signs by its subject key identifier. */
export function authorityKeyIdentifier(keyId: Buffer): Extension {
  return { oid: oids.authorityKeyId, critical: false, value: sequence(implicit(0, keyId)) }
}

/** @param bits Of {@link keyUsages}. */
export function keyUsage(...bits: readonly number[]): Extension {
  return { oid: oids.keyUsage, critical: true, value: namedBits(...bits) }
}

/** A certificate authority that signs end entities only. */
export function authorityOfLeafs(): Extension {
  return { oid: oids.basicConstraints, critical: true, value: sequence(boolean(true), integer(0)) }
}

/** @param purposes Dotted object identifiers. */
export function extendedKeyUsage(...purposes: readonly string[]): Extension {
  return { oid: oids.extendedKeyUsage, critical: true, value: sequence(...purposes.map(oid)) }
}

/** Other names of the subject. */
export function subjectAltName(names: readonly GeneralName[]): Extension {
  return { oid: oids.subjectAltName, critical: false, value: generalNames(names) }
}

/** Other names of the issuer. */
export function issuerAltName(names: readonly GeneralName[]): Extension {
  return { oid: oids.issuerAltName, critical: false, value: generalNames(names) }
}

/** The address of the revocation list: one URI, all reasons, signed by the issuer of the certificate itself. */
export function crlDistributionPoint(uri: string): Extension {
  // The inner [0] is implicit for the SEQUENCE of general names, the outer one explicit around the choice; both have the same encoding.
  const fullName = explicit(0, encodeGeneralName({ kind: 'uri', value: uri }))
  return { oid: oids.crlDistributionPoints, critical: false, value: sequence(sequence(explicit(0, fullName))) }
}

/** Number of a revocation list. @param number Grows with each list. */
export function crlNumber(number: number): Extension {
  return { oid: oids.crlNumber, critical: false, value: integer(number) }
}

function generalNames(names: readonly GeneralName[]): Buffer {
  return sequence(...names.map(encodeGeneralName))
}

function encodeGeneralName({ kind, value }: GeneralName): Buffer {
  const bytes = kind === 'ip' ? addressBytes(value) : Buffer.from(value, 'latin1')
  return implicit(generalNameTags[kind], bytes)
}

/** RFC 5280 4.2.1.6: the octets of the address in network order. */
function addressBytes(address: string): Buffer {
  if (address.includes('.')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [front, back] = [groups(head), groups(tail ?? '')]
  const middle = new Array<string>(tail === undefined ? 0 : 8 - front.length - back.length).fill('0')
  return Buffer.from([...front, ...middle, ...back].map((group) => group.padStart(4, '0')).join(''), 'hex')
}
