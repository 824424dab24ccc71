import { fromBase64url } from '../../crypto/base64url.ts'
import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import type { PublicJwk, VerificationKey } from '../../crypto/jwk.ts'
import { type Jws, type JwsAlg, objectionToJws, parseCompact, signCompact } from '../../crypto/jws.ts'
import type { SigningKey, SoftwareKey, Soon } from '../../crypto/signing-key.ts'
import { checkListClaims, invalidStatusList, type ListTimes } from './list-claims.ts'
import { type CompressedList, compressList, inflateList, isStatusBits, type PackedList } from './packed-list.ts'

/** A list that came in a verified token. `ttlSeconds` and `expiresAt` bound how long it may be kept. */
export type VerifiedList = PackedList & ListTimes & { readonly uri: string }

/** The media type of the token, as `Accept` and `Content-Type` spell it. */
export const STATUS_LIST_MEDIA_TYPE = 'application/statuslist+jwt'

const TYPE = 'statuslist+jwt'
const TOKEN_CHARS_MAX = 7_500_000 // 5 MiB of compressed list in base64url, and the rest of the token
const FRESH_SECONDS = { min: 60, max: 86_400, untold: 300 } as const

type Ask = {
  readonly uri: string
  readonly list: PackedList | CompressedList
  /** Where all lists of the issuer are named. */
  readonly aggregationUri?: string
  readonly ttlSeconds: number
  readonly lifetimeSeconds: number
  readonly header: { readonly kid: string; readonly jwk?: PublicJwk } | { readonly x5c: readonly string[] }
  /** Only where credentials name the issuer so. */
  readonly issuer?: string
}

/**
 * Makes a Status List Token.
 *
 * @param ask `uri`: where the token will be served, exactly. `header`: how the key is found, `kid`, with the key itself or without, or `x5c`.
 * @see [Token Status List, 5.1](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-5.1)
 */
export function buildStatusListToken(ask: Ask, key: SoftwareKey, now: Date): string
export function buildStatusListToken(ask: Ask, key: SigningKey, now: Date): Soon<string>
export function buildStatusListToken(ask: Ask, key: SigningKey, now: Date): Soon<string> {
  const iat = Math.floor(now.getTime() / 1000)
  const { bits, lst } = compressList(ask.list)
  const claims = {
    ...(ask.issuer === undefined ? {} : { iss: ask.issuer }),
    sub: ask.uri,
    iat,
    exp: iat + ask.lifetimeSeconds,
    ttl: ask.ttlSeconds,
    status_list: {
      bits,
      lst: lst.toString('base64url'),
      ...(ask.aggregationUri !== undefined && { aggregation_uri: ask.aggregationUri }),
    },
  }
  return signCompact({ ...ask.header, typ: TYPE }, claims, key)
}

/** Takes a token apart, so that the caller can find the key that its header names. Verifies nothing. @throws Fault `status_list.invalid` */
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
 * Whether the key may speak for the issuer of the credential is the caller's to settle before.
 *
 * @param expected `uri`: the one in the credential. `algs`: all that we verify unless told.
 * @throws Fault `status_list.invalid`; no statement about the credential is possible then.
 * @see [Token Status List, 8.3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-8.3)
 */
export function verifyStatusListToken(
  jws: Jws,
  key: VerificationKey,
  expected: { readonly uri: string; readonly algs?: readonly JwsAlg[] },
  now: Date,
): VerifiedList {
  // 7.5, step 4: signature and typ
  const policy = expected.algs === undefined ? { typ: TYPE } : { typ: TYPE, algs: expected.algs }
  const objection = objectionToJws(jws, key, policy)
  if (objection !== null) throw invalidStatusList(objection.message)
  const { sub, iat, exp, ttl, status_list: list } = jws.payload
  return { ...readList(list), uri: expected.uri, ...checkListClaims({ sub, iat, exp, ttl }, expected.uri, now) }
}

/** Until when a fetched list may be used without asking again: its `ttl`, clamped to 1 minute and 1 day, never beyond `exp`. */
export function freshUntil(list: Pick<VerifiedList, 'ttlSeconds' | 'expiresAt'>, fetchedAt: Date): Date {
  const { min, max, untold } = FRESH_SECONDS
  const ttl = Math.min(Math.max(list.ttlSeconds ?? untold, min), max)
  const until = fetchedAt.getTime() + ttl * 1000
  return new Date(list.expiresAt === null ? until : Math.min(until, list.expiresAt.getTime()))
}

function readList(value: unknown): PackedList {
  const { bits, lst }: JsonObject = isJsonObject(value) ? value : {}
  // [TS-1] 4.2: bits is 1, 2, 4 or 8.
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
