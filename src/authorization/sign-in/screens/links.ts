import type { Page } from '../../../pages/document.ts'
import { errorSummary, type Field, field, form } from '../../../pages/form.ts'
import { html } from '../../../pages/html.ts'
import { button, buttonLink, card, cut, message } from '../../../pages/parts.ts'
import { type ScreenFrame, textsOf } from './frame.ts'
import { type NewPassword, newPasswordFields, withUsername } from './new-password.ts'
import { type PasskeyForm, passkeyForm } from './passkey-form.ts'

/** The person for whom a one-time link was made. */
type Invited = { readonly username: string; readonly organisation: string }

/** The first sign-in by a one-time link: with a passkey or a password. */
export function welcomeScreen(
  frame: ScreenFrame,
  props: Invited & {
    readonly action: string
    readonly password: NewPassword
    readonly passkey: Pick<PasskeyForm, 'action' | 'options'>
    readonly problem?: string
  },
): Page {
  const texts = textsOf(frame)
  const fields = newPasswordFields(texts, props.password)
  const passkey = passkeyForm(frame, {
    ...{ ...props.passkey, kind: 'create', label: texts.welcome.usePasskey, failed: texts.passkeyAddFailed },
    fields: html`<h2>${texts.welcome.passkey}</h2><p class="hint">${texts.welcome.passkeyHint}</p>`,
  })
  const password = form(
    frame,
    props.action,
    html`<h2>${texts.welcome.password}</h2>${withUsername(frame, props.username, fields)}${button(texts.welcome.setPassword, { look: 'main' })}`,
  )
  return {
    title: texts.welcome.title(props.organisation),
    organisation: props.organisation,
    hasErrors: props.password.problem !== undefined || props.problem !== undefined,
    modules: ['sign-passkey'],
    main: html`${errorSummary(frame, fields, props.problem)}<p>${texts.welcome.intro(props.username)}</p>
${card(html`${password}<div class="ways stack">${cut(texts.or)}${passkey}</div>`)}`,
  }
}

/** Asks for a reset mail. It never tells whether an account exists. */
export function resetScreen(
  frame: ScreenFrame,
  props: {
    readonly action: string
    readonly organisation: string | null
    readonly entered?: { readonly organisation: string; readonly username: string }
    readonly missing?: readonly ('organisation' | 'username')[]
    readonly problem?: string
  },
): Page {
  const texts = textsOf(frame)
  const { organisation, entered, missing = [], problem } = props
  const fields: Field[] = (['organisation', 'username'] as const)
    .filter((name) => name === 'username' || organisation === null)
    .map((name) => ({
      ...{ name, label: texts[name], value: entered?.[name] ?? '', isName: true },
      autocomplete: name === 'username' ? 'username' : 'organization',
      ...(name === 'organisation' && { hint: texts.organisationHint }),
      ...(missing.includes(name) && { error: texts.wrong[name] }),
    }))
  const content = html`${fields.map((one) => field(frame, one))}${button(texts.reset.send, { look: 'main' })}`
  return {
    title: texts.reset.title,
    organisation: organisation ?? undefined,
    hasErrors: missing.length > 0 || problem !== undefined,
    main: html`${errorSummary(frame, fields, problem)}<p>${texts.reset.intro}</p>${card(form(frame, props.action, content))}`,
  }
}

/** Says the same for known and unknown accounts. */
export function resetSentScreen(frame: ScreenFrame, organisation: string | null, signInHref: string): Page {
  const texts = textsOf(frame)
  return {
    title: texts.reset.sentTitle,
    organisation: organisation ?? undefined,
    main: html`${message('done', texts.reset.sent)}<p>${texts.reset.notCome}</p><p>${buttonLink(texts.signIn, signInHref)}</p>`,
  }
}

/** Sets a new password by a link of a reset mail. */
export function newPasswordScreen(
  frame: ScreenFrame,
  props: Invited & { readonly action: string; readonly password: NewPassword },
): Page {
  const texts = textsOf(frame)
  const fields = newPasswordFields(texts, props.password)
  const content = html`${withUsername(frame, props.username, fields)}${button(texts.welcome.setPassword, { look: 'main' })}`
  return {
    title: texts.reset.newTitle,
    organisation: props.organisation,
    hasErrors: props.password.problem !== undefined,
    main: html`${errorSummary(frame, fields)}<p>${texts.reset.newFor(props.username)}</p>${card(form(frame, props.action, content))}`,
  }
}
