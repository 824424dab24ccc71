import { type JsonObject, memberOf } from '../../crypto/json.ts'
import { thumbprint, type VerificationKey } from '../../crypto/jwk.ts'
import type { AnchorSet } from '../../crypto/x509-path/anchor.ts'
import { isUnanchoredChain } from '../../crypto/x509-path/unanchored-chain.ts'
import { Fault } from '../../fault.ts'
import { looksLikeDid, parseKeyUrl } from '../../protocols/did/did.ts'
import type { StatusReference } from '../../protocols/status-list/status-claim.ts'
import {
  parseStatusListCwt,
  STATUS_LIST_CWT_MEDIA_TYPE,
  verifyStatusListCwt,
} from '../../protocols/status-list/status-list-cwt.ts'
import {
  freshUntil,
  parseStatusListToken,
  STATUS_LIST_MEDIA_TYPE,
  type VerifiedList,
  verifyStatusListToken,
} from '../../protocols/status-list/status-list-token.ts'
import { type ResolvedIssuer, resolveIssuer } from '../issuers/resolve-issuer.ts'
import type { TrustNeeds } from '../lookups/needs.ts'
import { isServerTrouble } from '../lookups/out-of-reach.ts'
import { certifiedStatusKey, statusKeyUnder } from './certified-status-key.ts'

/** The issuer of the credential, as {@link resolveIssuer} returned it. */
export type StatusIssuer = Pick<ResolvedIssuer, 'issuer' | 'mechanism' | 'key' | 'keyIds'>

/**
 * Format of a list: JWT, or CWT for an mdoc. `certified-jwt`: a JWT that names its signer by `x5c`, without a
 * self-signed certificate. [HAIP-30]
 */
export type FetchedListForm = 'jwt' | 'certified-jwt' | 'cwt'

/** The address of a list, and the issuer that must have signed it. */
type ListSource = {
  readonly status: StatusReference
  readonly issuer: StatusIssuer
  readonly now: Date
  readonly anchors: () => Promise<AnchorSet>
  readonly form: FetchedListForm
  /** A list that was fetched longer ago is fetched again, also before its `ttl` is over. */
  readonly ageMsMax: number
}

/** A list with when it was fetched, or its server last said that it had not changed, and until when it is kept. */
type ReadList = { readonly list: VerifiedList; readonly readAt: Date; readonly freshUntil: Date }

const DAY_MS = 86_400_000
const BYTES_MAX = 8 * 1024 * 1024
const REDIRECTS_MAX = 3
const ETAG_CHARS_MAX = 200

type CachedList = {
  readonly list: VerifiedList
  readonly etag: string | null
  readonly readAt: number
  /** The list is fetched again from then on. */
  readonly staleAt: number
  /** It is also verified again after a day: its key may have been withdrawn. */
  readonly verifiedAt: number
}

/**
 * Returns a verified list, cached by address and issuer: the list of one issuer is no statement about credentials of
 * another.
 *
 * A list of this deployment is revalidated each time, which costs one small statement and no network, so that a
 * revocation by any process shows at the next check.
 *
 * @throws Fault `status_list.invalid`, `status_list.untrusted`, `status_list.uncertified`, `issuer.undiscoverable`,
 *   `upstream.*`; the status is unknown then.
 * @see [Token Status List, 8.3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-8.3)
 */
export async function fetchedList(platform: TrustNeeds, source: ListSource): Promise<ReadList> {
  const { status, issuer, now, form, ageMsMax } = source
  const cache = platform.memory.fetched<CachedList>('trust.fetched_status_lists')
  const name = `${form} ${issuer.mechanism} ${issuer.issuer} ${nameOf(issuer.key)} ${status.uri}`
  const kept = cache.get(name, now)
  const isOurs = status.uri.startsWith(`${platform.config.publicUrl}/`)
  const isFresh = kept !== undefined && now.getTime() < Math.min(kept.staleAt, kept.readAt + ageMsMax)
  if (isFresh && !isOurs) return { list: kept.list, readAt: new Date(kept.readAt), freshUntil: new Date(kept.staleAt) }
  const got = await fetchList(platform, source, kept !== undefined && isUsable(kept, now) ? kept : null)
  const { packed, expiresAt } = got.list
  const until = freshUntil(got.list, now)
  const entry = { ...got, readAt: now.getTime(), staleAt: until.getTime() }
  cache.set(name, entry, packed.length, platform.tenantId, now, expiresAt?.getTime())
  return { list: got.list, readAt: now, freshUntil: until }
}

function isUsable({ list, verifiedAt }: CachedList, now: Date): boolean {
  const isExpired = list.expiresAt !== null && list.expiresAt <= now
  return !isExpired && Math.abs(now.getTime() - verifiedAt) < DAY_MS
}

async function fetchList(
  platform: TrustNeeds,
  source: ListSource,
  kept: CachedList | null,
): Promise<Pick<CachedList, 'list' | 'etag' | 'verifiedAt'>> {
  const { uri } = source.status
  const known = kept?.etag ?? null
  const answer = await platform.fetch(platform.tenantId, uri, {
    accept: [source.form === 'cwt' ? STATUS_LIST_CWT_MEDIA_TYPE : STATUS_LIST_MEDIA_TYPE],
    bytesMax: BYTES_MAX,
    redirectsMax: REDIRECTS_MAX,
    ...(known !== null && { headers: { 'if-none-match': known } }),
  })
  if (kept !== null && known !== null && answer.status === 304) return kept
  const notes = `status ${answer.status} for a status list`
  if (isServerTrouble(answer.status)) throw new Fault('upstream.answer', { notes })
  if (answer.status !== 200) throw new Fault('upstream.refused', { notes })
  const list = await (source.form === 'cwt' ? listInCwt(answer.body, source) : listInJwt(platform, answer.body, source))
  return { list, etag: etagOf(answer.headers.etag), verifiedAt: source.now.getTime() }
}

/** Returns the entity tag if it can be sent back unchanged. */
function etagOf(header: string | undefined): string | null {
  return header !== undefined && header.length <= ETAG_CHARS_MAX && /^(W\/)?"[\x21\x23-\x7e]*"$/.test(header)
    ? header
    : null
}

async function listInJwt(platform: TrustNeeds, body: Buffer, source: ListSource): Promise<VerifiedList> {
  const { status, issuer, now, anchors, form } = source
  const jws = parseStatusListToken(body.toString('latin1').trim())
  if (form === 'certified-jwt' && !isUnanchoredChain(jws.header.x5c)) throw new Fault('status_list.uncertified')
  const key =
    issuer.mechanism === 'x5c'
      ? certifiedStatusKey(jws.header, issuer, await anchors(), now)
      : await keyOf(platform, jws.header, issuer, now)
  return verifyStatusListToken(jws, key, { uri: status.uri }, now)
}

/**
 * The issuer of an mdoc always has a certificate. NOT checked: one bit an entry (ISO/IEC 18013-5), which is the
 * issuer's duty.
 */
async function listInCwt(body: Buffer, { status, issuer, now, anchors }: ListSource): Promise<VerifiedList> {
  const token = parseStatusListCwt(body)
  const key = statusKeyUnder(token.x5chain, issuer, await anchors(), now)
  return verifyStatusListCwt(token, key, { uri: status.uri }, now)
}

/** [TS-10] The same key, or another one of the same issuer. */
async function keyOf(
  platform: TrustNeeds,
  header: JsonObject,
  issuer: StatusIssuer,
  now: Date,
): Promise<VerificationKey> {
  const kid = memberOf(header, 'kid')
  const foreign = typeof kid === 'string' && looksLikeDid(kid) && parseKeyUrl(kid).did !== issuer.issuer
  if (foreign || Object.hasOwn(header, 'x5c')) throw new Fault('issuer.undiscoverable')
  // the issuer of the credential decides, whatever issuer the list names
  return (await resolveIssuer(platform, { header, payload: { iss: issuer.issuer } }, now)).key
}

function nameOf(key: VerificationKey): string {
  return 'kty' in key ? thumbprint(key) : key.export({ format: 'der', type: 'spki' }).toString('base64url')
}
