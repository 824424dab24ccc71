import { type JsonObject, memberOf } from '../crypto/json.ts'
import { thumbprint, type VerificationKey } from '../crypto/jwk.ts'
import { type AnchorSet, noAnchors } from '../crypto/x509-path/anchor.ts'
import { Recent } from '../directory/recent.ts'
import { Fault, type FaultCode } from '../fault.ts'
import type { OutboundFetch } from '../platform.ts'
import { looksLikeDid, parseKeyUrl } from '../protocols/did/did.ts'
import { sizeOf, statusAt, statusValues } from '../protocols/status-list/packed-list.ts'
import { readStatusClaim, type StatusReference } from '../protocols/status-list/status-claim.ts'
import {
  parseStatusListCwt,
  STATUS_LIST_CWT_MEDIA_TYPE,
  verifyStatusListCwt,
} from '../protocols/status-list/status-list-cwt.ts'
import {
  freshUntil,
  parseStatusListToken,
  STATUS_LIST_MEDIA_TYPE,
  type VerifiedList,
  verifyStatusListToken,
} from '../protocols/status-list/status-list-token.ts'
import { certifiedStatusKey, statusKeyUnder } from './certified-status-key.ts'
import { type TrustFinding, type TrustFindingCode, trustFinding } from './finding.ts'
import type { TrustNeeds } from './needs.ts'
import { isOutOfReach, isTrouble } from './out-of-reach.ts'
import { type ResolvedIssuer, resolveIssuer } from './resolve-issuer.ts'

/** Who signed the credential, as {@link resolveIssuer} found. */
type Issuer = Pick<ResolvedIssuer, 'issuer' | 'mechanism' | 'key' | 'keyIds'>
type Source = {
  readonly status: StatusReference
  readonly issuer: Issuer
  readonly now: Date
  readonly anchors: () => Promise<AnchorSet>
  readonly form: ListForm
}

/** How a list is asked for: as a JWT, or as a CWT, which is what an mdoc refers to. */
export type ListForm = 'jwt' | 'cwt'

/** A list of 2^17 entries is some 32 KiB here. Of those that are larger than a megabyte, up to 16, few are kept: anybody may name them. */
const LISTS_MAX = 64
const LARGE_BYTES = 1024 * 1024
const LARGE_LISTS_MAX = 4
const DAY_MS = 86_400_000
const BYTES_MAX = 8 * 1024 * 1024
const REDIRECTS_MAX = 3

type Kept = { readonly small: Recent<VerifiedList>; readonly large: Recent<VerifiedList> }
const caches = new WeakMap<OutboundFetch, Kept>()

/**
 * Asks the issuer's status list about a credential that was found valid otherwise. Any failure counts against the credential.
 * Lists are kept for as long as they allow (a minute to a day).
 *
 * @param status The `status` claim, as received; undefined: the credential has none and cannot be revoked, so nothing is found.
 * @param issuer Who signed the credential: the list must be signed by the same.
 * @param anchors Where the chain of a list may end, if not the key of the credential's certificate signed it.
 * @param form `cwt` for an mdoc.
 * @see [Token Status List, 8.3](https://datatracker.ietf.org/doc/draft-ietf-oauth-status-list/)
 */
export async function checkStatus(
  platform: TrustNeeds,
  status: unknown,
  issuer: Issuer,
  now: Date,
  anchors: () => Promise<AnchorSet> = async () => noAnchors,
  form: ListForm = 'jwt',
): Promise<readonly TrustFinding[]> {
  let reference: StatusReference | null
  try {
    reference = readStatusClaim(status, { allowHttpLoopback: platform.config.isDevelopment })
  } catch {
    return [trustFinding('status.malformed')]
  }
  if (reference === null) return []
  try {
    const list = await listOf(platform, { status: reference, issuer, now, anchors, form })
    return statusFindings(list, reference.index)
  } catch (error) {
    return [trustFinding(codeOf(error))]
  }
}

function statusFindings(list: VerifiedList, index: number): readonly TrustFinding[] {
  // 8.3: an index outside the list MUST lead to rejection
  if (index >= sizeOf(list)) return [trustFinding('status.out_of_range')]
  switch (statusAt(list, index)) {
    case statusValues.valid:
      return []
    case statusValues.revoked:
      return [trustFinding('status.revoked')]
    case statusValues.suspended:
      return [trustFinding('status.suspended')]
    default:
      return [trustFinding('status.other')]
  }
}

/** The verified list, kept by address and issuer: what one issuer's list says is no statement about the credentials of another. */
async function listOf(platform: TrustNeeds, source: Source): Promise<VerifiedList> {
  const { status, issuer, now, form } = source
  const { small, large } = cacheOf(platform.fetch)
  const name = `${form} ${issuer.mechanism} ${issuer.issuer} ${nameOf(issuer.key)} ${status.uri}`
  const kept = small.get(name, now) ?? large.get(name, now)
  if (kept !== undefined) return kept
  const list = await fetchList(platform, source)
  const cache = list.packed.length > LARGE_BYTES ? large : small
  cache.set(name, list, now, freshUntil(list, now).getTime())
  return list
}

function cacheOf(fetch: OutboundFetch): Kept {
  const cache = caches.get(fetch) ?? {
    small: new Recent<VerifiedList>({ entriesMax: LISTS_MAX, ttlMs: DAY_MS }),
    large: new Recent<VerifiedList>({ entriesMax: LARGE_LISTS_MAX, ttlMs: DAY_MS }),
  }
  caches.set(fetch, cache)
  return cache
}

async function fetchList(platform: TrustNeeds, source: Source): Promise<VerifiedList> {
  const { uri } = source.status
  const accept = [source.form === 'cwt' ? STATUS_LIST_CWT_MEDIA_TYPE : STATUS_LIST_MEDIA_TYPE]
  const answer = await platform.fetch(uri, { accept, bytesMax: BYTES_MAX, redirectsMax: REDIRECTS_MAX })
  const notes = `status ${answer.status} for a status list`
  if (isTrouble(answer.status)) throw new Fault('upstream.answer', { notes })
  if (answer.status !== 200) throw new Fault('upstream.refused', { notes })
  return source.form === 'cwt' ? listInCwt(answer.body, source) : listInJwt(platform, answer.body, source)
}

async function listInJwt(platform: TrustNeeds, body: Buffer, source: Source): Promise<VerifiedList> {
  const { status, issuer, now, anchors } = source
  const jws = parseStatusListToken(body.toString('latin1').trim())
  const key =
    issuer.mechanism === 'x5c'
      ? certifiedStatusKey(jws.header, issuer, await anchors(), now)
      : await keyOf(platform, jws.header, issuer, now)
  return verifyStatusListToken(jws, key, { uri: status.uri }, now)
}

/** The issuer of an mdoc is always one by certificate. One bit an entry (ISO/IEC 18013-5) is for its issuer to keep to, not for us. */
async function listInCwt(body: Buffer, { status, issuer, now, anchors }: Source): Promise<VerifiedList> {
  const token = parseStatusListCwt(body)
  const key = statusKeyUnder(token.x5chain, issuer, await anchors(), now)
  return verifyStatusListCwt(token, key, { uri: status.uri }, now)
}

/** [TS-10] The same key, or another one of the very same issuer. */
async function keyOf(platform: TrustNeeds, header: JsonObject, issuer: Issuer, now: Date): Promise<VerificationKey> {
  const kid = memberOf(header, 'kid')
  const foreign = typeof kid === 'string' && looksLikeDid(kid) && parseKeyUrl(kid).did !== issuer.issuer
  if (foreign || Object.hasOwn(header, 'x5c')) throw new Fault('issuer.undiscoverable')
  // what counts is the issuer of the credential, whatever the list calls itself
  return (await resolveIssuer(platform, { header, payload: { iss: issuer.issuer } }, now)).key
}

function nameOf(key: VerificationKey): string {
  return 'kty' in key ? thumbprint(key) : key.export({ format: 'der', type: 'spki' }).toString('base64url')
}

function codeOf(error: unknown): TrustFindingCode {
  if (!(error instanceof Fault)) throw error
  return findings[error.code] ?? (isOutOfReach(error) ? 'status.unavailable' : 'status.untrusted')
}

const findings: Partial<Record<FaultCode, TrustFindingCode>> = {
  'status_list.invalid': 'status.invalid',
  'upstream.too_large': 'status.invalid',
  'upstream.media_type': 'status.invalid',
  'upstream.refused': 'status.missing',
}
