import { form } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { button } from '../../../pages/parts.ts'
import type { ScreenFrame } from './frame.ts'

/** What the server offers a browser: WebAuthn options, and the sealed state that comes back with the answer. */
export type PasskeyOffer = { readonly options: object; readonly state: string }

/** One use of a passkey. The form posts the answer of the browser as `passkey`, and `state`. */
export type PasskeyForm = {
  readonly action: string
  readonly offer: PasskeyOffer
  /** `create` registers a passkey, `get` signs in with one. */
  readonly kind: 'create' | 'get'
  readonly label: string
  /** What to say when the person or the device refuses. */
  readonly failed: string
  readonly look?: 'main' | 'plain'
  /** Further fields of the form. */
  readonly fields?: Html
}

/** Returns a form that is sent with a passkey. It is invisible where the browser cannot do that. */
export function passkeyForm(frame: ScreenFrame, one: PasskeyForm): Html {
  const content = html`<sign-passkey
    kind="${one.kind}" options="${JSON.stringify(one.offer.options)}" failed="${one.failed}">
    <input type="hidden" name="state" value="${one.offer.state}">${one.fields}
    ${button(one.label, { look: one.look ?? 'plain' })}
    <p class="error" role="status"></p>
  </sign-passkey>`
  return form(frame, one.action, content)
}
