import type { SigningKey } from '../signing-key.ts'
import type { Certificate } from './certificate.ts'
import {
  childrenOf,
  type Der,
  derTags,
  derTimeOf,
  expected,
  integerBytesOf,
  isTime,
  malformedDer,
  onlyChildOf,
  sequenceOf,
  smallIntegerOf,
} from './der.ts'
import { derInteger, derTime, explicit, sequence } from './encode-der.ts'
import { authorityKeyIdentifier, crlNumber, encodeExtensions, readAll } from './extension.ts'
import { readName } from './name.ts'
import { oids } from './oids.ts'
import { algorithmOf, checkAlgorithms, readSigned, type Signed, signDer } from './signature.ts'

/** A parsed revocation list. Nothing in it is verified. */
export type Crl = Signed & {
  /** DER of the issuer's name. */
  readonly issuer: Buffer
  readonly thisUpdate: Date
  readonly nextUpdate: Date | null
  /** Serial numbers, in hex as in {@link Certificate}. */
  readonly revoked: ReadonlySet<string>
  /** Whether it covers all certificates of the issuer: no delta list, no partial list, no entries of other issuers. */
  readonly isComplete: boolean
}

/**
 * `bytes`: the longest list that is read or signed. `entries`: how many certificates a root may sign. An entry of ours
 * has at most 39 bytes, so that a list of all of them is a little more than half as long, and parsed fits into the
 * share of one tenant in the cache of lists.
 */
export const crlLimits = { bytes: 1024 * 1024, entries: 15_000 } as const

/** A revoked certificate. */
type RevokedEntry = { readonly serial: Buffer; readonly revokedAt: Date }

type Input = {
  /** Subject of the authority, byte for byte. */
  readonly issuer: Buffer
  readonly issuerKeyId: Buffer
  readonly number: number
  readonly thisUpdate: Date
  readonly nextUpdate: Date
  readonly revoked: readonly RevokedEntry[]
}

/**
 * Parses a revocation list of version 2 in DER.
 *
 * @throws Fault `certificate.invalid`
 * @see [RFC 5280, 5.1](https://www.rfc-editor.org/rfc/rfc5280#section-5.1)
 */
export function readCrl(bytes: Uint8Array): Crl {
  if (bytes.length > crlLimits.bytes) throw tooLong()
  const { body, outer, signed } = readSigned(Buffer.from(bytes))
  return { ...readList(body, outer), ...signed }
}

/**
 * Creates a full revocation list of version 2, signed by the authority itself. [X5-2]
 *
 * @throws Fault `certificate.invalid` if no reader would take it; {@link crlLimits} keeps that from happening
 * @see [RFC 5280, 5.1](https://www.rfc-editor.org/rfc/rfc5280#section-5.1)
 */
export async function signRevocationList(input: Input, key: SigningKey): Promise<Buffer> {
  const entries = input.revoked.map(({ serial, revokedAt }) => sequence(derInteger(serial), derTime(revokedAt)))
  const extensions = [authorityKeyIdentifier(input.issuerKeyId), crlNumber(input.number)]
  const list = sequence(
    derInteger(1),
    algorithmOf(key),
    input.issuer,
    derTime(input.thisUpdate),
    derTime(input.nextUpdate),
    // RFC 5280 5.1.2.6: absent, not empty, when there is none. Joined first: a call takes fewer arguments than a list
    // may have entries.
    ...(entries.length === 0 ? [] : [sequence(Buffer.concat(entries))]),
    explicit(0, encodeExtensions(extensions)),
  )
  const der = await signDer(list, key)
  if (der.length > crlLimits.bytes) throw tooLong()
  return der
}

function readList(parts: readonly Der[], outer: Der | undefined) {
  const [version, inner, issuer, thisUpdate, ...rest] = parts
  // RFC 5280 5.1.2.1: version 2, written as 1
  if (smallIntegerOf(version) !== 1) throw malformedDer('the list is not of version 2')
  const nextUpdate = isTime(rest[0]) ? derTimeOf(rest.shift()) : null
  const entries =
    rest[0]?.tag === derTags.sequence ? childrenOf(expected(rest.shift(), derTags.sequence)).map(readEntry) : []
  const last = rest.shift()
  if (rest.length > 0 || (last !== undefined && last.tag !== 0xa0)) throw malformedDer('the list has surplus parts')
  const extensions = last === undefined ? [] : readAll(onlyChildOf(last))
  checkAlgorithms(inner, outer)
  return {
    issuer: readName(issuer).der,
    thisUpdate: derTimeOf(thisUpdate),
    nextUpdate,
    revoked: new Set(entries.map(({ serial }) => serial)),
    // RFC 5280 5.2.3: each list has a number. RFC 5280 5.2: no critical extension is supported, such as the scope of a
    // partial list or the base of a delta list
    isComplete:
      extensions.some(({ oid }) => oid === oids.crlNumber) &&
      ![...extensions, ...entries.flatMap((one) => one.extensions)].some(({ isCritical }) => isCritical),
  }
}

function readEntry(der: Der) {
  const [serial, date, extensions, ...more] = sequenceOf(der)
  // The date is not used, and parsing thousands of them would take longer than everything else.
  if (!isTime(date) || more.length > 0) throw malformedDer('an entry of the list is malformed')
  return {
    serial: integerBytesOf(serial).toString('hex'),
    extensions: extensions === undefined ? [] : readAll(extensions),
  }
}

function tooLong() {
  return malformedDer(`the list is longer than ${crlLimits.bytes} bytes`)
}
