import type { Page } from '../../../pages/document.ts'
import { errorSummary, type Field, field, form } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { button, card, cut, message } from '../../../pages/parts.ts'
import { type ScreenFrame, textsOf } from './frame.ts'
import { passkeyForm } from './passkey-form.ts'

/** What the sign-in shows. Paths keep `continue` and what else the request brought. */
export type SignInProps = {
  readonly action: string
  readonly resetHref: string
  readonly passkey: { readonly action: string; readonly options: string } | null
  readonly providers: readonly { readonly name: string; readonly action: string }[]
  /** Name of the organisation; null if it is not known yet: then it is asked for. */
  readonly organisation: string | null
  readonly entered?: { readonly organisation: string; readonly username: string }
  /** Members that are empty. */
  readonly missing?: readonly ('organisation' | 'username' | 'password')[]
  /** What is wrong with the whole. */
  readonly problem?: string
  /** Whether a signed-in person confirms their identity. */
  readonly isAgain?: boolean
}

/** The sign-in: username and password, passkey, external providers of the organisation. */
export function signInScreen(frame: ScreenFrame, props: SignInProps): Page {
  const texts = textsOf(frame)
  const { organisation, missing = [], problem } = props
  const fields = fieldsOf(frame, props)
  const password = form(
    frame,
    props.action,
    html`${fields.map((one) => field(frame, one))}${button(texts.signIn, { look: 'main' })}`,
  )
  const forgotten = html`<p><a href="${props.resetHref}">${texts.forgotten}</a></p>`
  const intro = props.isAgain && problem === undefined && missing.length === 0
  return {
    title: organisation === null ? texts.signIn : texts.signInTo(organisation),
    organisation: organisation ?? undefined,
    hasErrors: problem !== undefined || missing.length > 0,
    modules: props.passkey === null ? [] : ['sign-passkey'],
    main: html`${errorSummary(frame, fields, problem)}${intro && message('note', texts.again)}
${card(html`${password}${forgotten}${otherWays(frame, props)}`)}`,
  }
}

function fieldsOf(frame: ScreenFrame, { organisation, entered, missing = [] }: SignInProps): Field[] {
  const texts = textsOf(frame)
  const error = (name: 'organisation' | 'username' | 'password') => ({
    ...(missing.includes(name) && { error: texts.wrong[name] }),
  })
  const fields: Field[] = [
    {
      ...{ name: 'username', label: texts.username, autocomplete: 'username webauthn', isName: true },
      ...{ value: entered?.username ?? '', ...error('username') },
    },
    {
      ...{ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password' },
      ...{ lengthMax: 1024, ...error('password') },
    },
  ]
  if (organisation !== null) return fields
  const first: Field = {
    ...{ name: 'organisation', label: texts.organisation, hint: texts.organisationHint, autocomplete: 'organization' },
    ...{ isName: true, value: entered?.organisation ?? '', ...error('organisation') },
  }
  return [first, ...fields]
}

/** Nothing of it is shown if there is no other way, or the only one is a passkey that the browser cannot use. */
function otherWays(frame: ScreenFrame, { passkey, providers }: SignInProps): Html {
  const texts = textsOf(frame)
  const withPasskey =
    passkey !== null &&
    passkeyForm(frame, { ...passkey, kind: 'get', label: texts.withPasskey, failed: texts.passkeyFailed })
  const others = providers.map(({ name, action }) => form(frame, action, button(texts.withProvider(name))))
  return html`<div class="ways${others.length > 0 && ' other'} stack">${cut(texts.or)}${withPasskey}${others}</div>`
}
