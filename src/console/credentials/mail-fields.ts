import { users } from '../../contract/directory/users.ts'
import { languages } from '../../contract/languages.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { choicesIn, select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { problemsOf } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import type { ConsoleIssuance } from './issuance.ts'
import { credentialTexts } from './texts.ts'
import { fieldOf } from './values-form.ts'

/** As long as the offers of a table last. */
const LIFETIME_SECONDS = '604800'

/**
 * Returns the fields for the mail with an offer; nothing where the server sends none.
 *
 * @param address Filled in if nothing was typed
 */
export function mailFields(frame: Frame, address: string, error?: string): Html | null {
  if (frame.me.organisation.sendsMail !== true) return null
  const t = credentialTexts[frame.language]
  const value = frame.fields.has('mail') ? typed(frame.fields, 'mail') : address
  const own = choicesIn(languages)
  const choices = [{ value: '', text: t.mailLanguageOwn }, ...own]
  const language = typed(frame.fields, 'mailLanguage')
  const mail = field(frame, {
    name: 'mail',
    label: t.mailAddress,
    hint: t.mailHint,
    type: 'email',
    value,
    isOptional: true,
    error,
  })
  return html`${mail}${select(frame, { name: 'mailLanguage', label: t.mailLanguage, value: language, choices })}`
}

/** Returns the field for how long the offer lasts: 7 days, unless another choice is made. */
export function lifetimeField(frame: Frame): Html {
  const t = credentialTexts[frame.language]
  const choices = choicesIn(t.days)
  const value = typed(frame.fields, 'lifetime') || LIFETIME_SECONDS
  const hint = frame.me.organisation.sendsMail === true ? { hint: t.lifetimeHint } : {}
  return select(frame, { name: 'lifetime', label: t.lifetime, value, choices, ...hint })
}

/** Returns the member of the body with how long the offer lasts. */
export function lifetimeOf(fields: Fields): { readonly expiresInSeconds?: number } {
  const lifetime = typed(fields, 'lifetime')
  return lifetime === '' ? {} : { expiresInSeconds: Number(lifetime) }
}

/** Returns the member of the body that asks for mail; nothing without an address. */
export function mailOf(fields: Fields): { readonly mail?: { readonly address: string; readonly language?: string } } {
  const [address, language] = [typed(fields, 'mail'), typed(fields, 'mailLanguage')]
  return address === '' ? {} : { mail: { address, ...(language !== '' && { language }) } }
}

/** Returns what is wrong with the address of a refused call; null: the refusal is about something else. */
export function mailProblem({ t }: Pick<Frame, 't'>, error: unknown): string | null {
  if (!(error instanceof ApiRefusal) || error.status !== 400) return null
  return problemsOf(error, fieldOf, t).fields.mail ?? null
}

/** Returns the mail address of the person that a card is for, where the reader may know it; else `''`. */
export async function addressOf(frame: Frame, { recipient }: ConsoleIssuance): Promise<string> {
  const { username } = recipient ?? {}
  if (username === undefined || frame.me.organisation.sendsMail !== true || !may(frame, 'users:read')) return ''
  try {
    const { data } = await frame.api.call(users.get, { params: { username } })
    return data.email ?? ''
  } catch (error) {
    // The person may be gone.
    if (error instanceof ApiRefusal && error.status === 404) return ''
    throw error
  }
}
