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

/** A revocation list as it was read. Nothing of it is verified. */
export type Crl = Signed & {
  /** DER of the issuer's name. */
  readonly issuer: Buffer
  readonly thisUpdate: Date
  readonly nextUpdate: Date | null
  /** Serial numbers, in hex as in {@link Certificate}. */
  readonly revoked: ReadonlySet<string>
  /** Whether it says all about the issuer's own certificates: no delta, no part, no other issuer's entries. */
  readonly isComplete: boolean
}

/** `hard`: without a good list the chain is refused. `soft`: only a list that names a certificate counts. */
export type RevocationPolicy = 'none' | 'soft' | 'hard'

const BYTES_MAX = 1024 * 1024
/** [SEC-80] */
const SKEW_MS = 60_000

/**
 * Reads a revocation list of version 2 in DER.
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
 * What the lists say about one certificate.
 *
 * @param issuer The certificate that issued it, already verified.
 * @param now The lists must be current at this time, whenever the chain was used.
 * @see [RFC 5280, 6.3](https://www.rfc-editor.org/rfc/rfc5280#section-6.3)
 */
export function revocationOf(
  { serial, issuer: name }: Certificate,
  issuer: Certificate,
  ask: { readonly crls: readonly Crl[]; readonly policy: RevocationPolicy; readonly now: Date },
): PathFindingCode | null {
  if (ask.policy === 'none') return null
  const lists = ask.crls.filter((one) => one.issuer.equals(name.der))
  // 4.2.1.3: cRLSign for whoever signs lists
  const maySign = issuer.extensions.keyUsage?.has('cRLSign') ?? true
  const signed = lists.filter((one) => maySign && isSignedBy(one, issuer.publicKey))
  // A revocation does not become undone because the list that told it has run out.
  if (signed.some(({ revoked }) => revoked.has(serial))) return 'certificate.revoked'
  if (ask.policy === 'soft') return null
  const complete = signed.filter(({ isComplete }) => isComplete)
  if (complete.some((one) => isCurrent(one, ask.now))) return null
  if (complete.length > 0) return 'crl.stale'
  if (signed.length > 0) return 'crl.unsupported'
  return lists.length > 0 ? 'crl.signature' : 'crl.missing'
}

/** Whether a list may be relied on at a time, by a clock that differs by up to a minute. One without an end is never current. */
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
    // 5.2.3: each list has a number. 5.2: what is critical is not understood, such as the scope of a part or the full list of a delta
    isComplete:
      extensions.some(({ oid }) => oid === extensionIds.crlNumber) &&
      ![...extensions, ...entries.flatMap((one) => one.extensions)].some(({ isCritical }) => isCritical),
  }
}

function readEntry(der: Der) {
  const [serial, date, extensions, ...more] = sequenceOf(der)
  // Nothing rests on the date, and to read thousands takes longer than all the rest.
  if (!isTime(date) || more.length > 0) throw malformedDer('an entry of the list is malformed')
  return {
    serial: integerBytesOf(serial).toString('hex'),
    extensions: extensions === undefined ? [] : readAll(extensions),
  }
}
