import type { Page } from '../../../pages/document.ts'
import { errorSummary, type Field, field, form } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { button, card, cut, message } from '../../../pages/parts.ts'
import { type ScreenFrame, textsOf } from './frame.ts'
import { type PasskeyForm, passkeyForm } from './passkey-form.ts'

/** What the sign-in shows. Paths keep `continue` and what else the request brought. */
export type SignInProps = {
  readonly action: string
  readonly resetHref: string
  readonly passkey: Pick<PasskeyForm, 'action' | 'offer'>
  /** External providers of the organisation. */
  readonly providers: readonly { readonly name: string; readonly action: string }[]
  /** Name of the organisation; null if the request does not name one: then it may be named, to reach its providers. */
  readonly organisation: string | null
  /** The same sign-in without the organisation, where a link only suggested it; else null. */
  readonly otherHref: string | null
  /** Tells the application that the person does not sign in; null: there is none to go back to. */
  readonly declineHref: string | null
  /** What the request brought; kept when an organisation is named. */
  readonly kept: readonly (readonly [name: string, value: string])[]
  readonly username?: string
  /** What was entered as an organisation that does not exist. */
  readonly unknownOrganisation?: string | undefined
  /** Members that are empty. */
  readonly missing?: readonly ('username' | 'password')[]
  /** What is wrong with the whole. */
  readonly problem?: string
  /** Whether a signed-in person confirms their identity. */
  readonly isAgain?: boolean
}

/** The sign-in: username and password, passkey, external providers of the organisation. */
export function signInScreen(frame: ScreenFrame, props: SignInProps): Page {
  const texts = textsOf(frame)
  const { organisation, missing = [], problem, unknownOrganisation } = props
  const fields = fieldsOf(frame, props)
  const tenant = organisationField(frame, props)
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
    hasErrors: problem !== undefined || missing.length > 0 || unknownOrganisation !== undefined,
    modules: ['sign-passkey'],
    main: html`${errorSummary(frame, [...fields, tenant], problem)}${intro && message('note', texts.again)}
${card(html`${password}${forgotten}${otherWays(frame, props)}`)}
${linkTo(props.otherHref, texts.otherOrganisation)}${linkTo(props.declineHref, texts.decline)}`,
  }
}

function linkTo(href: string | null, text: string): Html | false {
  return href !== null && html`<p><a href="${href}">${text}</a></p>`
}

function fieldsOf(frame: ScreenFrame, { username, missing = [] }: SignInProps): Field[] {
  const texts = textsOf(frame)
  const error = (name: 'username' | 'password') => ({ ...(missing.includes(name) && { error: texts.wrong[name] }) })
  return [
    {
      name: 'username',
      label: texts.username,
      autocomplete: 'username',
      isName: true,
      lengthMax: 320,
      value: username ?? '',
      ...error('username'),
    },
    {
      name: 'password',
      label: texts.password,
      type: 'password',
      autocomplete: 'current-password',
      lengthMax: 800,
      ...error('password'),
    },
  ]
}

/** Nothing of it is shown if the only other way is a passkey that the browser cannot use. */
function otherWays(frame: ScreenFrame, props: SignInProps): Html {
  const { passkey, providers, organisation } = props
  const texts = textsOf(frame)
  const shown = { ...passkey, kind: 'get', label: texts.withPasskey, failed: texts.passkeyFailed } as const
  const others = providers.map(({ name, action }) => form(frame, action, button(texts.withProvider(name))))
  const isOther = others.length > 0 || organisation === null
  return html`<div class="ways${isOther && ' other'} stack">
    ${cut(texts.or)}${passkeyForm(frame, shown)}${others}
    ${organisation === null && organisationForm(frame, props)}
  </div>`
}

/** Leads to the sign-in of an organisation. */
function organisationForm(frame: ScreenFrame, props: SignInProps): Html {
  const hidden = props.kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const go = button(textsOf(frame).throughOrganisation)
  return html`<form method="get" action="/sign-in">
    ${hidden}${field(frame, organisationField(frame, props))}${go}
  </form>`
}

function organisationField(frame: ScreenFrame, { unknownOrganisation: entered }: SignInProps): Field {
  const texts = textsOf(frame)
  return {
    name: 'tenant',
    label: texts.organisation,
    hint: texts.organisationHint,
    autocomplete: 'organization',
    isName: true,
    lengthMax: 64,
    value: entered ?? '',
    error: entered === undefined ? undefined : texts.wrong.organisation,
  }
}
