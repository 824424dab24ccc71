import type { Language } from '../contract/languages.ts'
import { documentHead } from '../pages/document.ts'
import { type Html, html } from '../pages/html.ts'

/** A page in the frame of a site. `style`: CSS rules with values that were checked. */
type EmbedPage = {
  readonly language: Language
  readonly title: string
  readonly main: Html
  readonly style: string
  readonly nonce: string
}

/** Returns the document of a frame: no header, no links to other pages, nothing of a session. */
export function embedDocument({ language, title, main, style, nonce }: EmbedPage): string {
  const modules = ['embed-frame', 'request-credential'] as const
  return html`<!doctype html>
  <html lang="${language}">
    ${documentHead({ title, sheet: 'visitor.css', modules, style, nonce })}
    <body class="embed"><main id="main">${main}</main></body>
  </html>
`.text
}
