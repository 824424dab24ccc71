import type { IncomingHttpHeaders } from 'node:http'
import type { Language } from '../contract/languages.ts'
import { randomToken } from '../crypto/random.ts'
import { type Endpoint, type EndpointContext, type EndpointResponse, endpoint } from '../http/routes/endpoint.ts'
import { asset, coded } from '../pages/assets.ts'
import { checkOrigin } from '../pages/csrf.ts'
import { document } from '../pages/document.ts'
import { renderFault } from '../pages/fault-page.ts'
import { type Html, html } from '../pages/html.ts'
import { languageOf } from '../pages/language.ts'
import { accentStyle } from '../pages/look/accent.ts'
import { pageTexts } from '../pages/messages/page-texts.ts'
import { embeddedPageHeaders, pageHeaders } from '../pages/page-headers.ts'
import { buttonLink, message } from '../pages/parts.ts'
import {
  type About,
  callBeginVisit,
  isRepeatable,
  type Refusal,
  readAbout,
  readState,
  type VisitState,
} from './call-api.ts'
import { embedDocument } from './embed-document.ts'
import { visitorTexts } from './texts.ts'
import {
  headingOf,
  introduction,
  refused,
  refusedMessage,
  refusedVerdict,
  verdict,
  visitorName,
  visitorShell,
  waiting,
  ways,
} from './views.ts'

const REFERENCE_CHARS_MAX = 200
const HTML = 'text/html; charset=utf-8'
const noStore = { 'cache-control': 'no-store' }
const common = { tag: 'Pages', hidden: true, accepts: 'none', faultsAs: renderFault } as const

type Context = EndpointContext<{ readonly page: string }>
type Asked = Pick<Context, 'url'> & { readonly headers: IncomingHttpHeaders }

/** The frame reads no cookie, also not that of the language. */
function languageIn({ url, headers }: Asked): Language {
  const { cookie: _, ...others } = headers
  return languageOf({ url, headers: others })
}

const show = endpoint({
  method: 'GET',
  path: '/embed/{page}',
  summary: 'A verification page in the frame of a site whose origin the page lists.',
  ...common,
  handle: async (context) => {
    const { params, query } = context
    const about = await readAbout(context, params.page, languageIn(context))
    if (about.refusal !== null) return alone(context, about.refusal)
    // The policy names this site alone, so the page in which the frame is can be told the state.
    const site = about.data.origins.find((one) => one === query.origin)
    if (site === undefined) return alone(context, { kind: 'origin', status: 403, retryAfterSeconds: null })
    return inFrame(context, about.data, site)
  },
})

/** Returns the page that only the site may frame. */
function inFrame(context: Context, about: About, site: string): EndpointResponse {
  const { params, query } = context
  const language = languageIn(context)
  const t = visitorTexts[language]
  const members = new URLSearchParams({ origin: site, lang: language })
  if (query.reference !== undefined) members.set('reference', query.reference)
  const path = `/embed/${encodeURIComponent(params.page)}`
  const title = headingOf(about, language)
  const content = about.isOpen
    ? introduction(about, language, beginButton(t.begin))
    : refusedMessage({ kind: 'closed', status: 410, retryAfterSeconds: null }, language)
  const way = html`<p>
    <a href="/verify/${encodeURIComponent(params.page)}" target="_blank" rel="noopener">${t.newWindow}</a>
  </p>`
  const alone = about.isOpen ? html`<noscript>${way}</noscript>` : way
  const maker = about.heading !== null && html`<p class="maker">${t.framed(visitorName(about.organisation))}</p>`
  const main = html`<h1>${title}</h1>
  ${maker}
  <verify-frame src="${path}?${String(members)}" state="${path}/state?${String(members)}" site="${site}">
    ${content}
  </verify-frame>
  ${alone}`
  const nonce = randomToken(16)
  const style = accentStyle(about.organisation.accentColor)
  const headers = { ...embeddedPageHeaders([site], nonce), ...noStore }
  return {
    status: about.isOpen ? 200 : 410,
    type: HTML,
    body: embedDocument({ language, title, main, style, nonce }),
    headers,
  }
}

function beginButton(text: string): Html {
  return html`<p class="buttons"><button type="button" class="button main" data-begin>${text}</button></p>`
}

/** Returns the page about a refusal. No site may frame it, so it is seen where its address is opened. */
function alone(context: Context, refusal: Refusal): EndpointResponse {
  const language = languageIn(context)
  const nonce = randomToken(16)
  const { title } = refused(refusal, language)
  const main = html`${refusedMessage(refusal, language)}<p class="buttons">${wayOn(context, refusal, language)}</p>`
  const page = { title, main, hasErrors: true, shell: visitorShell() }
  const body = document(page, { language, nonce, here: context.url })
  return { status: refusal.status, type: HTML, body, headers: pageHeaders(nonce) }
}

const begin = endpoint({
  method: 'POST',
  path: '/embed/{page}',
  summary: 'Begins a request for a visitor of the site, and returns its code and its secret to the frame.',
  ...common,
  handle: async (context) => {
    const { platform, params, query, headers } = context
    checkOrigin(platform.urls.publicUrl, headers)
    const language = languageIn(context)
    const begun = await callBeginVisit(context, params.page, query.reference?.slice(0, REFERENCE_CHARS_MAX))
    if (begun.refusal !== null) return refusedFragment(begun.refusal, language)
    const { id, secret = '' } = begun.data
    const content = html`<div tabindex="-1" data-focus>${waiting(begun.data, language, platform.clock.now())}</div>
    ${ways(begun.data, language, true)}`
    return fragment(content, { 'x-request': id, 'x-secret': secret })
  },
})

const follow = endpoint({
  method: 'GET',
  path: '/embed/{page}/state',
  summary: 'Answers the frame when the request has ended.',
  ...common,
  handle: async (context) => {
    const { platform, params, headers } = context
    checkOrigin(platform.urls.publicUrl, headers)
    const language = languageIn(context)
    const secret = /^Bearer ([\w-]+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    const visit = { request: String(headers['x-request'] ?? ''), secret }
    const known = String(headers['x-state'] ?? '')
    const state = await readState(context, params.page, visit, known === '' ? undefined : known)
    if (state.refusal !== null) return refusedFragment(state.refusal, language)
    if (!state.isChanged || isOpen(state.data)) return { status: 204, headers: { ...noStore, 'x-state': state.etag } }
    return ended(state.data, language)
  },
})

function isOpen({ status }: VisitState): boolean {
  return status === 'requested'
}

function ended(state: VisitState, language: Language): EndpointResponse {
  const { id: request, status, responseCode, redirectUri, awaitsReturn } = state
  if (awaitsReturn) {
    const [title, text] = visitorTexts[language].awaitsReturn
    return fragment(html`<div tabindex="-1" data-focus>${message('note', `${title}. ${text}`)}</div>`, {})
  }
  const isDone = status === 'verified' || status === 'answered'
  const outcome = isDone ? { status, request, responseCode, redirectUri } : { status }
  const content = html`${verdict(state, language, 'data-focus')}${!isDone && beginButton(visitorTexts[language].again)}`
  return fragment(content, { 'x-outcome': JSON.stringify(outcome) })
}

/** A link that leads on from a page without its frame. */
function wayOn({ url, params }: Context, refusal: Refusal, language: Language): Html {
  if (refusal.kind === 'unknown') return buttonLink(pageTexts[language].toStart, '/')
  if (isRepeatable(refusal)) return buttonLink(visitorTexts[language].tryAgain, url)
  return buttonLink(visitorTexts[language].newWindow, `/verify/${encodeURIComponent(params.page)}`)
}

function refusedFragment(refusal: Refusal, language: Language): EndpointResponse {
  const again = isRepeatable(refusal) && beginButton(visitorTexts[language].tryAgain)
  const content = html`${refusedVerdict(refusal, language)}${again}`
  return { ...fragment(content, {}), status: refusal.status }
}

function fragment(content: Html, more: Readonly<Record<string, string>>): EndpointResponse {
  return { status: 200, type: HTML, body: content.text, headers: { ...pageHeaders(''), ...more } }
}

const script = endpoint({
  method: 'GET',
  path: '/embed.js',
  operationId: 'getEmbedScript',
  replies: { 200: { types: { 'text/javascript': null } } },
  summary: 'Returns the custom element `chirograph-verify`, with which a site shows a verification page.',
  tag: 'Verification pages',
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ headers }) => {
    const found = asset('embed.js')
    const own = { 'cache-control': 'public, max-age=300', 'cross-origin-resource-policy': 'cross-origin' }
    const { body, headers: ofCoding } = await coded(found, headers['accept-encoding'])
    return { status: 200, type: found.type, body, headers: { ...own, ...ofCoding } }
  },
})

/** The pages for the frames of sites, and the script with their element. */
export const embedPages: readonly Endpoint[] = [show, begin, follow, script]
