import { form } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { button } from '../../../pages/parts.ts'
import type { ScreenFrame } from './frame.ts'

/** One use of a passkey. The form posts the answer of the browser as `passkey`. */
export type PasskeyForm = {
  readonly action: string
  /** `create` registers a passkey, `get` signs in with one. */
  readonly kind: 'create' | 'get'
  /** WebAuthn options of the server as JSON. */
  readonly options: string
  readonly label: string
  /** What to say when the person or the device refuses. */
  readonly failed: string
  readonly look?: 'main' | 'plain'
  /** Further fields of the form. */
  readonly fields?: Html
}

/** Returns a form that is sent with a passkey. It is invisible where the browser cannot do that. */
export function passkeyForm(frame: ScreenFrame, one: PasskeyForm): Html {
  const content = html`<sign-passkey kind="${one.kind}" options="${one.options}" failed="${one.failed}">${one.fields}
${button(one.label, { look: one.look ?? 'plain' })}<p class="error" role="status"></p></sign-passkey>`
  return form(frame, one.action, content)
}
