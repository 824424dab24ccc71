import type { Certificate } from './certificate.ts'
import {
  bitsOf,
  childrenOf,
  type Der,
  derTags,
  derTimeOf,
  expected,
  integerBytesOf,
  isTime,
  malformedDer,
  onlyChildOf,
  readDer,
  sequenceOf,
  smallIntegerOf,
} from './der.ts'
import { extensionIds, readAll } from './extensions.ts'
import { readName } from './name.ts'
import type { PathFindingCode } from './path-findings.ts'
import { isSignedBy, readAlgorithm, type Signed } from './signature.ts'

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

/** `hard`: without a valid list the chain is refused. `soft`: only a revocation in a list counts. */
export type RevocationPolicy = 'none' | 'soft' | 'hard'

const BYTES_MAX = 1024 * 1024
/** [SEC-80] */
const SKEW_MS = 60_000

/**
 * Parses a revocation list of version 2 in DER.
 *
 * @throws Fault `certificate.invalid`
 * @see [RFC 5280, 5.1](https://www.rfc-editor.org/rfc/rfc5280#section-5.1)
 */
export function readCrl(bytes: Uint8Array): Crl {
  if (bytes.length > BYTES_MAX) throw malformedDer(`the list is longer than ${BYTES_MAX} bytes`)
  const der = Buffer.from(bytes)
  const [tbs, algorithm, signature, ...more] = sequenceOf(readDer(der))
  if (tbs === undefined || algorithm === undefined || more.length > 0)
    throw malformedDer('the list does not have three parts')
  const { inner, ...read } = readList(sequenceOf(tbs))
  // 5.1.1.2: the same algorithm identifier inside and outside
  if (!algorithm.whole.equals(inner)) throw malformedDer('the list names two signature algorithms')
  return { ...read, tbs: tbs.whole, algorithm: readAlgorithm(algorithm), signature: bitsOf(signature) }
}

/**
 * Looks a certificate up in the lists.
 *
 * @param issuer The issuing certificate, already verified.
 * @param now The lists must be current at this time, independent of when the chain was used.
 * @see [RFC 5280, 6.3](https://www.rfc-editor.org/rfc/rfc5280#section-6.3)
 */
export function revocationOf(
  { serial, issuer: name }: Certificate,
  issuer: Certificate,
  input: { readonly crls: readonly Crl[]; readonly policy: RevocationPolicy; readonly now: Date },
): PathFindingCode | null {
  if (input.policy === 'none') return null
  const lists = input.crls.filter((one) => one.issuer.equals(name.der))
  // 4.2.1.3: the issuer of a list needs cRLSign
  const maySign = issuer.extensions.keyUsage?.has('cRLSign') ?? true
  const signed = lists.filter((one) => maySign && isSignedBy(one, issuer.publicKey))
  // An expired list still proves a revocation.
  if (signed.some(({ revoked }) => revoked.has(serial))) return 'certificate.revoked'
  if (input.policy === 'soft') return null
  const complete = signed.filter(({ isComplete }) => isComplete)
  if (complete.some((one) => isCurrent(one, input.now))) return null
  if (complete.length > 0) return 'crl.stale'
  if (signed.length > 0) return 'crl.unsupported'
  return lists.length > 0 ? 'crl.signature' : 'crl.missing'
}

/** Whether a list is current at a time, with a minute of clock skew. A list without `nextUpdate` never is. */
function isCurrent({ thisUpdate, nextUpdate }: Pick<Crl, 'thisUpdate' | 'nextUpdate'>, now: Date): boolean {
  const at = now.getTime()
  return thisUpdate.getTime() - SKEW_MS <= at && nextUpdate !== null && at < nextUpdate.getTime() + SKEW_MS
}

function readList(parts: readonly Der[]) {
  const [version, inner, issuer, thisUpdate, ...rest] = parts
  // 5.1.2.1: version 2, written as 1
  if (smallIntegerOf(version) !== 1) throw malformedDer('the list is not of version 2')
  const nextUpdate = isTime(rest[0]) ? derTimeOf(rest.shift()) : null
  const entries =
    rest[0]?.tag === derTags.sequence ? childrenOf(expected(rest.shift(), derTags.sequence)).map(readEntry) : []
  const last = rest.shift()
  if (rest.length > 0 || (last !== undefined && last.tag !== 0xa0)) throw malformedDer('the list has surplus parts')
  const extensions = last === undefined ? [] : readAll(onlyChildOf(last))
  return {
    inner: expected(inner, derTags.sequence).whole,
    issuer: readName(issuer).der,
    thisUpdate: derTimeOf(thisUpdate),
    nextUpdate,
    revoked: new Set(entries.map(({ serial }) => serial)),
    // 5.2.3: each list has a number. 5.2: no critical extension is supported, such as the scope of a partial list or the base of a delta list
    isComplete:
      extensions.some(({ oid }) => oid === extensionIds.crlNumber) &&
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
