import type { IncomingHttpHeaders } from 'node:http'
import type { PathParams } from '../contract/api-operation.ts'
import type { Language } from '../contract/languages.ts'
import { randomToken } from '../crypto/random.ts'
import {
  type Endpoint,
  type EndpointContext,
  type EndpointResponse,
  endpoint,
  type Fields,
} from '../http/routes/endpoint.ts'
import type { Platform } from '../platform.ts'
import { readCookie, SESSION_COOKIE, writeCookie } from './cookies.ts'
import { checkForm, csrfKey, type FormOrigin, formToken } from './csrf.ts'
import { document, type Page } from './document.ts'
import { renderFault } from './fault-page.ts'
import { CSRF_FIELD, type FormFrame } from './form.ts'
import { html } from './html.ts'
import { languageCookie, languageOf } from './language.ts'
import { type PageTexts, pageTexts } from './messages/page-texts.ts'
import { pageHeaders } from './page-headers.ts'
import { buttonLink } from './parts.ts'

const FORM_BYTES_MAX = 65_536
/** Of a form with a file. */
const FILE_FORM_BYTES_MAX = 1_048_576
/** Binds the forms of a browser without a session. */
const VISIT_COOKIE = 'chirograph-visit'

/** The request as a page gets it. As a {@link FormFrame} it makes the forms of the answer. */
export type PageContext<Params = Readonly<Record<string, string>>> = FormFrame & {
  readonly platform: Platform
  readonly params: Params
  readonly query: Readonly<Record<string, string | undefined>>
  /** Of the posted form; empty for GET. */
  readonly fields: Fields
  readonly language: Language
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** Path and query of the request. It may carry codes. */
  readonly here: string
  readonly ip: string
  readonly requestId: string
}

/** The answer of a page: a page, or the way to another one. */
export type PageAnswer = {
  /** Set-Cookie headers. An answer that sets or deletes the session cookie also has `endsVisit`. */
  readonly cookies?: readonly string[]
  /** The session began or ended: the forms that were made before it are refused from now on. */
  readonly endsVisit?: boolean
} & (
  | {
      readonly page: Page
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      /** Origin of an image of another website that the page shows. */
      readonly imageSource?: string
    }
  /** A path of the pages, reached by 303. */
  | { readonly to: string }
  /**
   * An address that may lead to another website. A page sends the browser there, since the policy `form-action` refuses
   * a form whose redirects leave this origin.
   */
  | { readonly leaveFor: string; readonly headers?: Readonly<Record<string, string>> }
)

type Spec<P extends string> = {
  readonly method: 'GET' | 'POST'
  readonly path: P
  readonly summary: string
  /** The form has a file; then `fields` may be an {@link Upload}. */
  readonly takesFile?: boolean
  readonly handle: (context: PageContext<PathParams<P>>) => Promise<PageAnswer> | PageAnswer
}

/**
 * Declares a page. Forms reach `handle` only with the token of their session and address. Faults are pages too.
 *
 * A visitor without a session gets a visit cookie, to which forms are bound until sign-in.
 */
export function pageEndpoint<const P extends string>({
  method,
  path,
  summary,
  takesFile = false,
  handle,
}: Spec<P>): Endpoint {
  return endpoint({
    method,
    path,
    summary,
    tag: 'Pages',
    hidden: true,
    accepts: method === 'GET' ? 'none' : takesFile ? 'upload' : 'fields',
    bodyBytesMax: takesFile ? FILE_FORM_BYTES_MAX : FORM_BYTES_MAX,
    faultsAs: renderFault,
    handle: async (context) => {
      const visit = await visitOf(context)
      const page = pageContext(context, visit)
      if (method === 'POST') checkForm(visit, context.headers, pathOf(context.url), page.fields.get(CSRF_FIELD)?.[0])
      // The path pattern names the parameters.
      const answer = await handle({ ...page, params: context.params as PathParams<P> })
      return respond(answer, page, visit)
    },
  })
}

/** What binds the forms of a browser. `cookie`: the Set-Cookie header of a visit that begins now. */
type Visit = FormOrigin & { readonly cookie: string | null }

async function visitOf({ platform, headers, method }: EndpointContext): Promise<Visit> {
  const session = readCookie(platform, SESSION_COOKIE, headers.cookie)
  const known = session ?? readCookie(platform, VISIT_COOKIE, headers.cookie)
  const begun = known === null && method !== 'POST' ? randomToken() : null
  return {
    publicUrl: platform.urls.publicUrl,
    key: await csrfKey(platform),
    binding: known ?? begun,
    cookie: begun === null ? null : writeCookie(platform, VISIT_COOKIE, begun),
  }
}

function pageContext(context: EndpointContext, { key, binding }: Visit): PageContext {
  const { platform, params, query, headers, method, url, ip, requestId, body } = context
  const language = languageOf({ url, headers })
  return {
    platform,
    params,
    query,
    headers,
    method,
    language,
    ip,
    requestId,
    here: url,
    // Endpoints that accept fields get a map, the others nothing.
    fields: body instanceof Map ? (body as Fields) : new Map(),
    texts: pageTexts[language],
    csrf: (action) => formToken(key, binding ?? '', action),
  }
}

function respond(answer: PageAnswer, context: PageContext, visit: Visit): EndpointResponse {
  const ended = answer.endsVisit ? [writeCookie(context.platform, VISIT_COOKIE, '', 0)] : [visit.cookie]
  const cookies = [...(answer.cookies ?? []), ...ended, languageCookie(context.here)].filter((one) => one !== null)
  const common = { 'set-cookie': cookies, 'cache-control': 'no-store' }
  if ('to' in answer) return { status: 303, headers: { ...common, location: answer.to } }
  const nonce = randomToken(16)
  const imageSource = 'page' in answer ? answer.imageSource : undefined
  const headers = { ...pageHeaders(nonce, imageSource), ...common }
  const { language, here } = context
  const type = 'text/html; charset=utf-8'
  if ('page' in answer) {
    const body = document(answer.page, { language, here, nonce })
    return { status: answer.status ?? 200, type, body, headers: { ...headers, ...answer.headers } }
  }
  const body = document(leavingPage(answer.leaveFor, context.texts), { language, here, nonce })
  return { status: 200, type, body, headers: { ...headers, refresh: `0;url=${answer.leaveFor}`, ...answer.headers } }
}

/** Returns the page that leads to another website, for browsers that do not follow the header `Refresh`. */
export function leavingPage(target: string, texts: PageTexts): Page {
  return { title: texts.leaving, main: html`<p>${buttonLink(texts.leavingLink, target)}</p>` }
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}
