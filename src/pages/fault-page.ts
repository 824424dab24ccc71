import type { IncomingHttpHeaders } from 'node:http'
import type { Language } from '../contract/languages.ts'
import { randomToken } from '../crypto/random.ts'
import { type Fault, type FaultCode, faults } from '../fault.ts'
import type { RenderFault } from '../http/routes/page.ts'
import { document } from './document.ts'
import { html } from './html.ts'
import { languageOf } from './language.ts'
import { type PageTexts, pageTexts } from './messages/page-texts.ts'
import { duration } from './moment.ts'
import { pageHeaders } from './page-headers.ts'
import { buttonLink, message } from './parts.ts'

type Refused = keyof PageTexts['refused']

const byCode: Partial<Record<FaultCode, Refused>> = { 'form.foreign': 'foreign', 'form.stale': 'stale' }
const byStatus: Readonly<Record<number, Refused>> = {
  400: 'invalid',
  401: 'forbidden',
  403: 'forbidden',
  404: 'missing',
  405: 'method',
  413: 'large',
  415: 'invalid',
  429: 'busy',
  431: 'large',
  502: 'away',
  503: 'away',
  504: 'away',
}

/**
 * Returns the page about a fault: what happened, what to do and a way from there, in the language of the person. The
 * fault's own English stays in the log.
 */
export const renderFault: RenderFault = (fault, request) => render(fault, request, 'person')

/**
 * As {@link renderFault}, for requests that an application made the browser send: a refused one is a mistake of the
 * application, and the page has the fault's own English for its developer.
 */
export const renderClientFault: RenderFault = (fault, request) => render(fault, request, 'client')

function render(
  fault: Fault,
  { status, id, method, url, headers }: Parameters<RenderFault>[1],
  by: 'person' | 'client',
): ReturnType<RenderFault> {
  const language = languageOf({ url, headers })
  const nonce = randomToken(16)
  // The address of a form that was sent shows no page.
  const here = method === 'GET' || method === 'HEAD' ? url : (ownPage(headers) ?? '/')
  const about = { status, id, language, back: here, isOfClient: by === 'client' && status === 400 }
  return { html: document(faultPage(fault, about), { language, nonce, here }), headers: pageHeaders(nonce) }
}

type About = {
  readonly status: number
  readonly id: string
  readonly language: Language
  readonly back: string
  readonly isOfClient: boolean
}

function faultPage(fault: Fault, { status, id, language, back, isOfClient }: About) {
  const texts = pageTexts[language]
  const [title, advice] = texts.refused[isOfClient ? 'client' : (byCode[fault.code] ?? byStatus[status] ?? 'failed')]
  const wait = fault.meta?.retryAfterSeconds
  const isRepeatable = fault.code === 'form.stale' || status === 429 || status >= 500
  const main = html`${message('bad', typeof wait === 'number' ? texts.waitFor(duration(wait, language)) : advice)}
  ${isOfClient && html`<p lang="en"><code>${fault.detail ?? faults[fault.code].title}</code></p>`}
  <p class="buttons">${isRepeatable && buttonLink(texts.openAgain, back)}${buttonLink(texts.toStart, '/')}</p>
  <p class="hint">
    ${texts.errorId} <copy-text label="${texts.copy}" done="${texts.copied}"><code>${id}</code></copy-text>
  </p>`
  return { title, main, hasErrors: true, modules: ['copy-text'] as const }
}

/** Path and query of the page with the form: the pages name it to this server only. */
function ownPage({ referer, host }: IncomingHttpHeaders): string | null {
  const page = URL.parse(referer ?? '')
  return page !== null && page.host === host ? page.pathname + page.search : null
}
