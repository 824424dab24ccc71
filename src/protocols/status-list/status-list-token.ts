import { fromBase64url } from '../../crypto/base64url.ts'
import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import type { PublicJwk, VerificationKey } from '../../crypto/jwk.ts'
import { findJwsError, type Jws, type JwsAlg, parseCompact, signCompact } from '../../crypto/jws.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { toNumericDate } from '../numeric-date.ts'
import { checkListClaims, invalidStatusList, type ListTimes, refusedSignature } from './list-claims.ts'
import { type CompressedList, compressList, inflateList, isStatusBits, type PackedList } from './packed-list.ts'

/** The list of a verified token. `ttlSeconds` and `expiresAt` limit how long it may be cached. */
export type VerifiedList = PackedList & ListTimes & { readonly uri: string }

/** The media type of the token, as `Accept` and `Content-Type` spell it. */
export const STATUS_LIST_MEDIA_TYPE = 'application/statuslist+jwt'

const TYPE = 'statuslist+jwt'
const TOKEN_CHARS_MAX = 7_500_000 // 5 MiB of compressed list in base64url, and the rest of the token
const FRESH_SECONDS = { min: 60, max: 86_400, fallback: 300 } as const

type Input = {
  readonly uri: string
  readonly list: PackedList | CompressedList
  /** Address of the list of all status lists of the issuer. */
  readonly aggregationUri?: string
  readonly ttlSeconds: number
  readonly lifetimeSeconds: number
  readonly header: { readonly kid: string; readonly jwk?: PublicJwk } | { readonly x5c: readonly string[] }
  /** Only if the credentials have this `iss`. */
  readonly issuer?: string
}

/**
 * Creates a Status List Token.
 *
 * @param input `uri`: where the token will be served, exactly. `header`: identifies the key by `kid`, with or without
 *   the key itself, or by `x5c`.
 * @see [Token Status List, 5.1](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-5.1)
 */
export async function buildStatusListToken(input: Input, key: SigningKey, now: Date): Promise<string> {
  const iat = toNumericDate(now)
  const { bits, lst } = compressList(input.list)
  const claims = {
    ...(input.issuer === undefined ? {} : { iss: input.issuer }),
    sub: input.uri,
    iat,
    exp: iat + input.lifetimeSeconds,
    ttl: input.ttlSeconds,
    status_list: {
      bits,
      lst: lst.toString('base64url'),
      ...(input.aggregationUri !== undefined && { aggregation_uri: input.aggregationUri }),
    },
  }
  return signCompact({ ...input.header, typ: TYPE }, claims, key)
}

/**
 * Parses a token, so that the caller can resolve the key in its header. Verifies nothing.
 *
 * @throws Fault `status_list.invalid`
 */
export function parseStatusListToken(token: string): Jws {
  try {
    return parseCompact(token, { charsMax: TOKEN_CHARS_MAX })
  } catch (cause) {
    throw invalidStatusList('The status list token is not a well-formed JWT.', cause)
  }
}

/**
 * Verifies a Status List Token and inflates its list.
 *
 * NOT checked: whether the key may sign for the issuer of the credential.
 *
 * @param expected `uri`: the one in the credential. `algs`: by default {@link jwsAlgs}.
 * @throws Fault `status_list.invalid`, or `status_list.untrusted` if it is signed with another key; the status of the
 *   credential is unknown then.
 * @see [Token Status List, 8.3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-8.3)
 */
export function verifyStatusListToken(
  jws: Jws,
  key: VerificationKey,
  expected: { readonly uri: string; readonly algs?: readonly JwsAlg[] },
  now: Date,
): VerifiedList {
  // Token Status List 8.3: signature and typ
  const policy = expected.algs === undefined ? { typ: TYPE } : { typ: TYPE, algs: expected.algs }
  const error = findJwsError(jws, key, policy)
  if (error !== null) throw refusedSignature(error)
  const { sub, iat, exp, ttl, status_list: list } = jws.payload
  return { ...readList(list), uri: expected.uri, ...checkListClaims({ sub, iat, exp, ttl }, expected.uri, now) }
}

/** Until when a fetched list may be cached: its `ttl`, clamped to 1 minute and 1 day, never beyond `exp`. */
export function freshUntil(list: Pick<VerifiedList, 'ttlSeconds' | 'expiresAt'>, fetchedAt: Date): Date {
  const { min, max, fallback } = FRESH_SECONDS
  const ttl = Math.min(Math.max(list.ttlSeconds ?? fallback, min), max)
  const until = fetchedAt.getTime() + ttl * 1000
  return new Date(list.expiresAt === null ? until : Math.min(until, list.expiresAt.getTime()))
}

function readList(value: unknown): PackedList {
  const { bits, lst }: JsonObject = isJsonObject(value) ? value : {}
  // [TS-1] Token Status List 4.2: bits is 1, 2, 4 or 8.
  if (!isStatusBits(bits) || typeof lst !== 'string')
    throw invalidStatusList('status_list of the token is not well-formed.')
  return inflateList(bits, bytesOf(lst))
}

function bytesOf(lst: string): Buffer {
  try {
    return fromBase64url(lst)
  } catch (cause) {
    throw invalidStatusList('lst of the status list is not base64url.', cause)
  }
}
