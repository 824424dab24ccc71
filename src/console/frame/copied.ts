import { type Html, html } from '../../pages/html.ts'
import type { SignedInContext } from '../../pages/session/signed-in-endpoint.ts'

/** Returns a text with a button that copies it. The page loads the module `copy-text`. */
export function copied({ texts }: Pick<SignedInContext, 'texts'>, text: string): Html {
  return html`<copy-text label="${texts.copy}" done="${texts.copied}"><code class="secret">${text}</code></copy-text>`
}
