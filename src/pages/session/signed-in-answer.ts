import type { Readable } from 'node:stream'
import type { Language } from '../../contract/languages.ts'
import { randomToken } from '../../crypto/random.ts'
import type { EndpointContext, EndpointResponse } from '../../http/routes/endpoint.ts'
import { document, type Page } from '../document.ts'
import type { FormFrame } from '../form.ts'
import type { Html } from '../html.ts'
import { languageCookie } from '../language.ts'
import { leavingPage } from '../page-endpoint.ts'
import { pageHeaders } from '../page-headers.ts'

/** The answer: a page, the way to another page by 303, a piece of a page for a script, or a file. */
export type SignedInAnswer =
  | { readonly page: Page; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  /** `renewsMe`: who the person is, or how their organisation appears, was changed, and is asked anew. */
  | { readonly to: string; readonly renewsMe?: true }
  | { readonly fragment: Html; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  /** A file; with a `name` (ASCII letters, digits, `.`, `_` and `-`) to be saved. */
  | {
      readonly file: string | Buffer | Readable
      readonly type: string
      readonly name?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** An address of another website, where the person was told that it leads there: see `leavingPage`. */
  | { readonly leaveFor: string }
  /** The person signs in again, and gets to a path of the pages with an ID token that has this nonce. */
  | { readonly signInAgain: { readonly nonce: string; readonly to: string } }

/** Where an answer is shown. `here`: path and query of the request. */
type AnswerFrame = Pick<FormFrame, 'texts'> & { readonly language: Language; readonly here: string }

/** A file of strangers does nothing where a browser opens it as a page. */
const FILE_POLICY = "default-src 'none'; sandbox"
/** The same, for the styles that stand in a picture. */
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** Returns the response for an answer, with the policy of pages or of files. */
export function respond(
  { url }: Pick<EndpointContext, 'url'>,
  { language, here, texts }: AnswerFrame,
  answer: Exclude<SignedInAnswer, { readonly signInAgain: object }>,
): EndpointResponse {
  if ('to' in answer) return redirect(answer.to)
  const nonce = randomToken(16)
  const chosen = languageCookie(url)
  if ('file' in answer) {
    const name = answer.name?.replaceAll(/[^\w.-]/g, '-')
    const policy = answer.type === 'image/svg+xml' ? SVG_POLICY : FILE_POLICY
    const own = {
      'cache-control': 'no-store',
      'content-security-policy': policy,
      ...(name !== undefined && { 'content-disposition': `attachment; filename="${name}"` }),
    }
    return { status: 200, type: answer.type, body: answer.file, headers: { ...own, ...answer.headers } }
  }
  const headers = { ...pageHeaders(nonce), ...(chosen !== null && { 'set-cookie': [chosen] }) }
  const type = 'text/html; charset=utf-8'
  if ('fragment' in answer) {
    return {
      status: answer.status ?? 200,
      type,
      body: answer.fragment.text,
      headers: { ...headers, ...answer.headers },
    }
  }
  if ('leaveFor' in answer) {
    const body = document(leavingPage(answer.leaveFor, texts), { language, here, nonce })
    return { status: 200, type, body, headers: { ...headers, refresh: `0;url=${answer.leaveFor}` } }
  }
  const body = document(answer.page, { language, here, nonce })
  return { status: answer.status ?? 200, type, body, headers: { ...headers, ...answer.headers } }
}

/** Adds cookies to those of a response. */
export function withCookies(response: EndpointResponse, cookies: readonly string[]): EndpointResponse {
  const { 'set-cookie': others = [], ...headers } = response.headers ?? {}
  return { ...response, headers: { ...headers, 'set-cookie': [...[others].flat(), ...cookies] } }
}

/** Leads to another page by GET. */
export function redirect(location: string): EndpointResponse {
  return { status: 303, headers: { location, 'cache-control': 'no-store' } }
}
