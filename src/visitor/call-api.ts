import type { Static } from 'typebox'
import type { Language } from '../contract/languages.ts'
import type { BegunVisitReply, PublicPageReply, VisitReply } from '../contract/verification/verification-pages.ts'
import { type JsonObject, parseJsonObject } from '../crypto/json.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { withTimeLimit } from '../time-limit.ts'

/** Of all calls of one page together: a page answers within 10 s, whatever the API does. */
const MS_MAX = 8000

/** A verification page as the API describes it to visitors. */
export type About = Static<typeof PublicPageReply>

/** The state of a request. `secret`: only where it begins. The addresses are those of an open request. */
export type VisitState = Static<typeof VisitReply> & Partial<Static<typeof BegunVisitReply>>

/** Why the API did not do what the page asked for, in the words that the pages have for it. */
export type Refusal = {
  readonly kind: 'unknown' | 'closed' | 'busy' | 'origin' | 'failed'
  readonly status: number
  readonly retryAfterSeconds: number | null
}

/** Whether the same may work a little later. */
export function isRepeatable({ kind }: Refusal): boolean {
  return kind === 'busy' || kind === 'failed'
}

/** `changed` is false for 304. */
export type Reply<T> =
  | { readonly data: T; readonly isChanged: boolean; readonly etag: string; readonly refusal: null }
  | { readonly refusal: Refusal }

/** A browser that asks for a page, whose address counts for the limits. `startedMs`: see {@link sharingTime}. */
export type Asking = {
  readonly platform: Pick<Platform, 'dispatch' | 'urls'>
  readonly ip: string
  readonly startedMs?: number
}

/** Makes several calls of one page share the time that one call may take. */
export function sharingTime({ platform, ip }: Asking): Asking {
  return { platform, ip, startedMs: performance.now() }
}

/** Returns what visitors may know of a page. @param language In which it is told where there are several. */
export function readAbout(asking: Asking, page: string, language: Language): Promise<Reply<About>> {
  return callPublicApi(asking, 'GET', `/verify/${encodeURIComponent(page)}/about`, { 'accept-language': language })
}

/** Begins a request. @param reference Of the site that embeds the page. */
export function callBeginVisit(asking: Asking, page: string, reference?: string): Promise<Reply<VisitState>> {
  const headers = { 'content-type': 'application/json' }
  return callPublicApi(
    asking,
    'POST',
    `/verify/${encodeURIComponent(page)}/requests`,
    headers,
    JSON.stringify({ reference }),
  )
}

/**
 * Returns the state of a request.
 *
 * @param known Entity tag of the state that the browser has: waits up to 6 s for another one.
 */
export function readState(
  asking: Asking,
  page: string,
  { request, secret }: { readonly request: string; readonly secret: string },
  known?: string,
): Promise<Reply<VisitState>> {
  const path = `/verify/${encodeURIComponent(page)}/requests/${encodeURIComponent(request)}`
  const waiting = known === undefined ? {} : { 'if-none-match': known, prefer: 'wait=6' }
  return callPublicApi(asking, 'GET', path, { authorization: `Bearer ${secret}`, ...waiting })
}

/** Says that the wallet led the browser back. @param responseCode From the address that it led to. */
export function callRecordReturn(
  asking: Asking,
  page: string,
  { request, secret }: { readonly request: string; readonly secret: string },
  responseCode: string,
): Promise<Reply<object>> {
  const path = `/verify/${encodeURIComponent(page)}/requests/${encodeURIComponent(request)}/return`
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` }
  return callPublicApi(asking, 'POST', path, headers, JSON.stringify({ responseCode }))
}

/** Asks the public API of this server, inside the process. One that is late is a refusal too. */
export async function callPublicApi<T>(
  { platform, ip, startedMs = performance.now() }: Asking,
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Reply<T>> {
  const { host } = new URL(platform.urls.publicUrl)
  const sent = { method, path, headers: { ...headers, host }, ip, ...(body !== undefined && { body }) }
  const msLeft = Math.max(0, startedMs + MS_MAX - performance.now())
  const late = new Fault('upstream.timeout')
  const reply = await withTimeLimit(platform.dispatch(sent), msLeft, () => late).catch((error: unknown) => {
    if (error === late) return null
    throw error
  })
  if (reply === null) return { refusal: { kind: 'failed', status: 504, retryAfterSeconds: null } }
  if (reply.status >= 400) return { refusal: refusalOf(reply.status, reply.headers['retry-after']) }
  const data: JsonObject = reply.body.length === 0 ? {} : parseJsonObject(reply.body)
  // The shape that the endpoint promises.
  return { data: data as T, isChanged: reply.status !== 304, etag: reply.headers.etag ?? '', refusal: null }
}

function refusalOf(status: number, retryAfter: string | undefined): Refusal {
  const kinds: Readonly<Record<number, Refusal['kind']>> = { 404: 'unknown', 409: 'closed', 403: 'origin', 429: 'busy' }
  const kind = kinds[status] ?? 'failed'
  const shown = kind === 'failed' ? 503 : kind === 'closed' ? 410 : status
  return { kind, status: shown, retryAfterSeconds: retryAfter === undefined ? null : Number(retryAfter) }
}
