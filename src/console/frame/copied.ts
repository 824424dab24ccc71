import { type Html, html } from '../../pages/html.ts'
import type { SignedInContext } from '../../pages/session/signed-in-endpoint.ts'

/** Returns a text with a button that copies it. The page loads the module `copy-text`. */
export function copied({ texts }: Pick<SignedInContext, 'texts'>, text: string, form: 'line' | 'pem' = 'line'): Html {
  const code = html`<code class="secret${form === 'pem' && ' pem'}">${text}</code>`
  return html`<copy-text label="${texts.copy}" done="${texts.copied}">${code}</copy-text>`
}
