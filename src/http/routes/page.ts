import { faults } from '../../fault.ts'
import { faultOf } from './faults.ts'

/** Escapes a text for HTML, also for a quoted attribute. [SEC-77] */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** Renders a fault as an HTML page for people. It has no script and no style and loads nothing. */
export function toPage(error: unknown, status: number, id: string): { html: string; policy: string } {
  const fault = faultOf(error)
  const { title } = faults[fault.code]
  const text = fault.detail ?? ''
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title></head>
<body><main><h1>${escapeHtml(title)}</h1>${text === '' ? '' : `<p>${escapeHtml(text)}</p>`}
<p>Status ${status}. If you ask for help, quote this number: <code>${escapeHtml(id)}</code></p></main></body></html>
`
  return { html, policy: "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" }
}
