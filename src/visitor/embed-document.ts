import type { Language } from '../contract/languages.ts'
import { asset } from '../pages/assets.ts'
import { Html, html } from '../pages/html.ts'

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
  // A text inside of a style element cannot be escaped.
  if (style.includes('<')) throw new Error('a style must not contain <')
  const own = style !== '' && html`<style nonce="${nonce}">${new Html(style)}</style>`
  const modules = (['embed-frame', 'request-credential'] as const).map(
    (name) => html`<script type="module" src="${asset(`${name}.js`).path}"></script>`,
  )
  return html`<!doctype html>
  <html lang="${language}">
    <head>
      <meta charset="utf-8">
      <title>${title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="same-origin">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="${asset('visitor.css').path}">
      ${modules}${own}
    </head>
    <body class="embed"><main id="main">${main}</main></body>
  </html>
`.text
}
