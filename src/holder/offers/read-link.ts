import { parseJsonObject } from '../../crypto/json.ts'
import { DEFAULT_OFFER_SCHEME, OFFER_SCHEMES, offerSchemes } from '../../protocols/openid4vci/credential-offer.ts'
import { REQUEST_SCHEMES } from '../../protocols/openid4vp/request-link.ts'
import { isAppLink } from '../../protocols/shape.ts'

/** What a link is: an offer or a request for the wallet, the page of a request of ours, or nothing that it knows. */
type Link =
  | { readonly kind: 'offer'; readonly offer: string }
  | { readonly kind: 'request'; readonly request: string }
  | { readonly kind: 'page'; readonly tenant: string; readonly path: string }
  | { readonly kind: 'unknown'; readonly text: string }

const WEB_SCHEMES = new Set(['https:', 'http:'])
const TEXT_MAX = 65_536

/**
 * Sorts a link of any scheme, a text that contains one (as apps share them), or the JSON of an offer. Nothing is
 * fetched here; whether the link is whole, the API decides.
 *
 * @param publicUrl Our own origin: links of our own pages lead to what they stand for.
 */
export function readLink(given: string, publicUrl: string): Link {
  const text = given.trim().slice(0, TEXT_MAX)
  if (text.startsWith('{')) return { kind: 'offer', offer: text }
  const parts = text.split(/[\s<>"]/)
  const found = parts.find((one) => one.includes('://') && URL.canParse(one)) ?? text
  const url = URL.parse(found)
  if (url === null) return { kind: 'unknown', text }
  const [isOffer, isRequest] = [OFFER_SCHEMES, REQUEST_SCHEMES].map((schemes) => schemes.has(url.protocol))
  if (isOffer && !isRequest) return { kind: 'offer', offer: found }
  if (isRequest && !isOffer) return { kind: 'request', request: found }
  // a scheme of both, or of another app, says nothing, as https does: the parameters decide
  if (isOffer || isAppLink(url)) return byParameters(url, found)
  if (!WEB_SCHEMES.has(url.protocol)) return { kind: 'unknown', text }
  const own = url.origin === publicUrl ? ownLink(url, publicUrl) : null
  return own ?? byParameters(url, found)
}

function byParameters(url: URL, found: string): Link {
  const names = new Set(url.searchParams.keys())
  if (names.has('credential_offer') || names.has('credential_offer_uri')) return { kind: 'offer', offer: found }
  return names.has('client_id') ? { kind: 'request', request: found } : { kind: 'unknown', text: found }
}

function ownLink(url: URL, publicUrl: string): Link | null {
  const [, slug, token] = /^\/offer\/([\w-]+)\/([\w-]+)$/.exec(url.pathname) ?? []
  if (slug !== undefined && token !== undefined) return { kind: 'offer', offer: ownOffer(publicUrl, slug, token) }
  const [, tenant, request] = /^\/request\/([\w-]+)\/([\w-]+)$/.exec(url.pathname) ?? []
  if (tenant !== undefined && request !== undefined) return { kind: 'page', tenant, path: url.pathname }
  const inner = url.pathname === '/open' ? url.searchParams.get('u') : null
  return inner === null || inner.startsWith(publicUrl) ? null : readLink(inner, publicUrl)
}

/**
 * Returns the short name of the tenant of this deployment that made an offer or request; null for a link of another
 * deployment, or of none. That the tenant exists is NOT checked.
 */
export function tenantOfLink(given: string, publicUrl: string): string | null {
  const link = readLink(given, publicUrl)
  if (link.kind === 'unknown') return null
  if (link.kind === 'page') return link.tenant
  const reference = URL.parse(link.kind === 'offer' ? offerReference(link.offer) : requestReference(link.request))
  if (reference?.origin !== publicUrl) return null
  return /^\/(?:issuers|verifiers)\/([a-z0-9-]{1,63})(?:\/|$)/.exec(reference.pathname)?.[1] ?? null
}

/** The address of an offer; of one by value that of its issuer. */
function offerReference(offer: string): string {
  const names = URL.parse(offer)?.searchParams
  const value = offer.startsWith('{') ? offer : (names?.get('credential_offer') ?? null)
  return value === null ? (names?.get('credential_offer_uri') ?? '') : issuerIn(value)
}

function issuerIn(offer: string): string {
  try {
    return String(parseJsonObject(Buffer.from(offer)).credential_issuer)
  } catch {
    return ''
  }
}

function requestReference(request: string): string {
  return URL.parse(request)?.searchParams.get('request_uri') ?? ''
}

/**
 * Returns the link for wallets of an offer of ours. @param scheme As its template names it; any other text counts as
 * none.
 */
export function ownOffer(publicUrl: string, slug: string, token: string, scheme?: unknown): string {
  const named = offerSchemes.find((one) => one === scheme) ?? DEFAULT_OFFER_SCHEME
  const uri = `${publicUrl}/issuers/${slug}/offers/${token}`
  return `${named}://?credential_offer_uri=${encodeURIComponent(uri)}`
}

/**
 * Returns the link for wallets of an offer whose members stand in the query of a page of ours; `''` without such a
 * member.
 */
export function offerInQuery(query: Readonly<Record<string, string | undefined>>): string {
  const members = ['credential_offer', 'credential_offer_uri'].flatMap((name) =>
    query[name] === undefined ? [] : [[name, query[name]] as [string, string]],
  )
  return members.length === 0 ? '' : `openid-credential-offer://?${new URLSearchParams(members)}`
}
