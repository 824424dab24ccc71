import { childrenOf, derTags, oidOf, readDer, sequenceOf } from '../x509-path/der.ts'
import type { Name } from '../x509-path/name.ts'
import { oid, printableString, sequence, setOf, utf8String } from './der.ts'
import { oids } from './oids.ts'

/** Maximum length of a common name. @see [RFC 5280, A.1 ub-common-name](https://www.rfc-editor.org/rfc/rfc5280#appendix-A.1) */
export const COMMON_NAME_CHARS_MAX = 64

/** Subject of our certificates and requests. `country`: ISO 3166-1 alpha-2 in upper case. */
export type SubjectName = { readonly country: string; readonly commonName: string }

/** The name in DER: country, then common name, each in the string type of ISO/IEC 18013-5 B.1. */
export function encodeName({ country, commonName }: SubjectName): Buffer {
  const countryName = sequence(oid(oids.countryName), printableString(country))
  return sequence(setOf(countryName), setOf(sequence(oid(oids.commonName), utf8String(commonName))))
}

/** The common name; null if there is none or more than one. @throws Fault `certificate.invalid` */
export function commonNameOf({ der }: Pick<Name, 'der'>): string | null {
  const found = sequenceOf(readDer(der))
    .flatMap(childrenOf)
    .map(sequenceOf)
    .filter(([type]) => oidOf(type) === oids.commonName)
    .map(([, value]) => value)
  const [only] = found
  if (only === undefined || found.length > 1) return null
  // UTF8String and PrintableString, as RFC 5280 4.1.2.4 requires; certificates with such keys do not use the older types.
  if (only.tag === derTags.utf8String) return only.content.toString('utf8')
  return only.tag === derTags.printableString ? only.content.toString('latin1') : null
}
