import type { IncomingHttpHeaders } from 'node:http'
import { type Fault, faults } from '../../fault.ts'

/** Escapes a text for HTML, also for a quoted attribute. [SEC-77] */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** What a page about a fault may depend on. `url` is path and query; `id` is that of the request's log line. */
type RefusedRequest = {
  readonly status: number
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/** Renders a fault as an HTML page, with the headers that the page needs. */
export type RenderFault = (
  fault: Fault,
  request: RefusedRequest,
) => { readonly html: string; readonly headers: Readonly<Record<string, string>> }

/** The plain page about a fault. It has no script and no style and loads nothing. */
export const renderPlainly: RenderFault = (fault, { status, id }) => {
  const { title } = faults[fault.code]
  const text = fault.detail ?? ''
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title></head>
<body><main><h1>${escapeHtml(title)}</h1>${text === '' ? '' : `<p>${escapeHtml(text)}</p>`}
<p>Status ${status}. If you ask for help, quote this number: <code>${escapeHtml(id)}</code></p></main></body></html>
`
  const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  return { html, headers: { 'content-security-policy': policy } }
}
