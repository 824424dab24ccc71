import type { VerificationKey } from '../../crypto/jwk.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { decodeCbor } from '../cbor/decode.ts'
import { encodeCbor } from '../cbor/encode.ts'
import { newBudget } from '../cbor/reader.ts'
import { type Cbor, type CborMap, isBytes, isCborMap } from '../cbor/value.ts'
import type { CoseAlg } from '../cose/algorithms.ts'
import { findSign1Error, headerLabels, readSign1, type Sign1, sign1 } from '../cose/sign1.ts'
import { toX5chain, x5chainOf } from '../cose/x5chain.ts'
import { toNumericDate } from '../numeric-date.ts'
import { checkListClaims, invalidStatusList, refusedSignature } from './list-claims.ts'
import { type CompressedList, compressList, inflateList, isStatusBits, type PackedList } from './packed-list.ts'
import type { VerifiedList } from './status-list-token.ts'

/** The media type of the token in CBOR, as `Accept` and `Content-Type` spell it. */
export const STATUS_LIST_CWT_MEDIA_TYPE = 'application/statuslist+cwt'

/** CWT claims (RFC 8392 and 7.2). */
const claim = { sub: 2, exp: 4, iat: 6, statusList: 65_533, ttl: 65_534 } as const

type Input = {
  readonly uri: string
  readonly list: PackedList | CompressedList
  /** Address of the list of all status lists of the issuer. */
  readonly aggregationUri?: string
  readonly ttlSeconds: number
  readonly lifetimeSeconds: number
  readonly header: { readonly kid: string } | { readonly x5chain: readonly Uint8Array[] }
}

/**
 * Creates a Status List Token in CBOR, for mdocs.
 *
 * @param input `uri`: where the token will be served, exactly. `x5chain`: DER, leaf first, without the root; in the
 *   protected header, as ISO/IEC 18013-5 requires [MD-10].
 * @returns A tagged COSE_Sign1.
 * @see [Token Status List, 5.2](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-5.2)
 */
export async function buildStatusListCwt(input: Input, key: SigningKey, now: Date): Promise<Buffer> {
  const iat = toNumericDate(now)
  const claims = new Map<number, Cbor>([
    [claim.sub, input.uri],
    [claim.iat, iat],
    [claim.exp, iat + input.lifetimeSeconds],
    [claim.ttl, input.ttlSeconds],
    [claim.statusList, writeList(compressList(input.list), input.aggregationUri)],
  ])
  const protectedHeader = new Map<number, Cbor>([[headerLabels.typ, STATUS_LIST_CWT_MEDIA_TYPE]])
  const unprotectedHeader = new Map<number, Cbor>()
  if ('kid' in input.header) unprotectedHeader.set(headerLabels.kid, Buffer.from(input.header.kid))
  else protectedHeader.set(headerLabels.x5chain, toX5chain(input.header.x5chain))
  // Token Status List 5.2: tagged, and without the tag of a CWT
  return encodeCbor(
    await sign1({ payload: encodeCbor(claims), protectedHeader, unprotectedHeader, isTagged: true }, key),
  )
}

/** A parsed token. `kid` and `x5chain` identify its key. Nothing in it is verified. */
type StatusListCwt = {
  readonly sign1: Sign1
  readonly claims: CborMap
  readonly kid: string | null
  /** DER, leaf first. */
  readonly x5chain: readonly Uint8Array[]
}

/** Parses a token, so that the caller can resolve the key in its header. @throws Fault `status_list.invalid` */
export function parseStatusListCwt(token: Uint8Array): StatusListCwt {
  try {
    const budget = newBudget()
    const read = readSign1(decodeCbor(token, budget), budget)
    if (!read.isTagged || read.payload === null)
      throw invalidStatusList('The status list token is not a tagged COSE_Sign1.')
    const claims = decodeCbor(read.payload, budget)
    if (!isCborMap(claims)) throw invalidStatusList('The status list token has no claims.')
    const kid = read.protectedHeader.get(headerLabels.kid) ?? read.unprotectedHeader.get(headerLabels.kid)
    return { sign1: read, claims, kid: isBytes(kid) ? Buffer.from(kid).toString() : null, x5chain: x5chainOf(read) }
  } catch (cause) {
    throw invalidStatusList('The status list token is not a well-formed CWT.', cause)
  }
}

/**
 * Verifies a Status List Token in CBOR and inflates its list.
 *
 * NOT checked: whether the key may sign for the issuer of the credential.
 *
 * @param expected `uri`: the one in the credential. `isForMdoc`: ISO/IEC 18013-5 requires one bit for each entry and
 *   `exp` [MD-10].
 * @throws Fault `status_list.invalid`, or `status_list.untrusted` if it is signed with another key; the status of the
 *   credential is unknown then.
 * @see [Token Status List, 8.3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-8.3)
 */
export function verifyStatusListCwt(
  token: StatusListCwt,
  key: VerificationKey,
  expected: { readonly uri: string; readonly algs?: readonly CoseAlg[]; readonly isForMdoc?: boolean },
  now: Date,
): VerifiedList {
  const error = findSign1Error(token.sign1, key, expected.algs && { algs: expected.algs })
  if (error !== null) throw refusedSignature(error)
  // [SEC-21] protected: a CWT of another use is refused
  const typ = token.sign1.protectedHeader.get(headerLabels.typ)
  if (typeof typ !== 'string' || typ.toLowerCase() !== STATUS_LIST_CWT_MEDIA_TYPE)
    throw invalidStatusList('The CWT has another type.')
  const { claims } = token
  const [sub, iat, exp, ttl] = (['sub', 'iat', 'exp', 'ttl'] as const).map((name) => claims.get(claim[name]))
  const times = checkListClaims({ sub, iat, exp, ttl }, expected.uri, now)
  const list = readList(claims.get(claim.statusList))
  if (expected.isForMdoc === true && (list.bits !== 1 || times.expiresAt === null))
    throw invalidStatusList('A status list for mdocs needs one bit for each entry, and exp.')
  return { ...list, uri: expected.uri, ...times }
}

function writeList({ bits, lst }: CompressedList, aggregationUri?: string): Cbor {
  const members: [string, Cbor][] = [
    ['bits', bits],
    ['lst', lst],
  ]
  if (aggregationUri !== undefined) members.push(['aggregation_uri', aggregationUri])
  return new Map(members)
}

function readList(value: Cbor): PackedList {
  const [bits, lst] = isCborMap(value) ? [value.get('bits'), value.get('lst')] : []
  // [TS-1] Token Status List 4.3: bits is 1, 2, 4 or 8.
  if (!isStatusBits(bits) || !isBytes(lst)) throw invalidStatusList('status_list of the token is not well-formed.')
  return inflateList(bits, lst)
}
