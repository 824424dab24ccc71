import type { Page } from '../../../pages/document.ts'
import { errorSummary, type Field, field, form } from '../../../pages/form.ts'
import { html } from '../../../pages/html.ts'
import { button, buttonLink, card, cut, message } from '../../../pages/parts.ts'
import { type ScreenFrame, textsOf } from './frame.ts'
import { newPasswordFields, type PasswordProblem, withUsername } from './new-password.ts'
import { type PasskeyForm, passkeyForm } from './passkey-form.ts'

/** The person for whom a one-time link was made. */
type Invited = { readonly username: string; readonly organisation: string }

/** The first sign-in by a one-time link: with a passkey or a password. */
export function welcomeScreen(
  frame: ScreenFrame,
  props: Invited & {
    readonly action: string
    readonly password: PasswordProblem | null
    readonly passkey: Pick<PasskeyForm, 'action' | 'offer'>
    readonly problem?: string | undefined
  },
): Page {
  const texts = textsOf(frame)
  const fields = newPasswordFields(texts, props.password)
  const passkey = passkeyForm(frame, {
    ...props.passkey,
    kind: 'create',
    label: texts.welcome.usePasskey,
    failed: texts.passkeyAddFailed,
    fields: html`<h2>${texts.welcome.passkey}</h2><p class="hint">${texts.welcome.passkeyHint}</p>`,
  })
  const content = html`<h2>${texts.welcome.password}</h2>
  ${withUsername(frame, props.username, fields)}
  ${button(texts.welcome.setPassword, { look: 'main' })}`
  const password = form(frame, props.action, content)
  return {
    title: texts.welcome.title(props.organisation),
    organisation: props.organisation,
    hasErrors: props.password !== null || props.problem !== undefined,
    modules: ['sign-passkey'],
    main: html`${errorSummary(frame, fields, props.problem)}<p>${texts.welcome.intro(props.username)}</p>
    ${card(html`${password}<div class="ways stack">${cut(texts.or)}${passkey}</div>`)}`,
  }
}

/**
 * Asks for a reset mail. It never tells whether an account exists.
 *
 * @param props `isPossible`: whether this server sends mail.
 */
export function resetScreen(
  frame: ScreenFrame,
  props: {
    readonly action: string
    readonly organisation: string | null
    readonly isPossible: boolean
    readonly signInHref: string
    readonly username?: string
    readonly isMissing?: boolean
  },
): Page {
  const texts = textsOf(frame)
  const { organisation, username = '', isMissing = false, isPossible } = props
  const one: Field = {
    name: 'username',
    label: texts.username,
    value: username,
    isName: true,
    lengthMax: 320,
    autocomplete: 'username',
    error: isMissing ? texts.wrong.username : undefined,
  }
  const content = html`${field(frame, one)}${button(texts.reset.send, { look: 'main' })}`
  const ask = html`${errorSummary(frame, [one])}<p>${texts.reset.intro}</p>${card(form(frame, props.action, content))}`
  return {
    title: texts.reset.title,
    organisation: organisation ?? undefined,
    hasErrors: isMissing,
    main: isPossible ? ask : html`<p>${texts.reset.noMail}</p><p>${buttonLink(texts.signIn, props.signInHref)}</p>`,
  }
}

/** Says the same for known and unknown accounts. */
export function resetSentScreen(frame: ScreenFrame, organisation: string | null, signInHref: string): Page {
  const texts = textsOf(frame)
  return {
    title: texts.reset.sentTitle,
    organisation: organisation ?? undefined,
    main: html`${message('done', texts.reset.sent)}<p>${texts.reset.notCome}</p>
    <p>${buttonLink(texts.signIn, signInHref)}</p>`,
  }
}

/** Sets a new password by a link of a reset mail. */
export function newPasswordScreen(
  frame: ScreenFrame,
  props: Invited & { readonly action: string; readonly password: PasswordProblem | null },
): Page {
  const texts = textsOf(frame)
  const fields = newPasswordFields(texts, props.password)
  const content = html`${withUsername(frame, props.username, fields)}
  ${button(texts.welcome.setPassword, { look: 'main' })}`
  return {
    title: texts.reset.newTitle,
    organisation: props.organisation,
    hasErrors: props.password !== null,
    main: html`${errorSummary(frame, fields)}<p>${texts.reset.newFor(props.username)}</p>
    ${card(form(frame, props.action, content))}`,
  }
}
