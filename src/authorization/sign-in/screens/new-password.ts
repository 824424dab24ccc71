import { type Field, type FormFrame, field } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN, type PasswordFinding } from '../passwords/check-password.ts'
import type { SignInTexts } from './texts.ts'

/** What is wrong with a new password; `repeat`: the two differ. */
export type PasswordProblem = PasswordFinding | 'repeat'

/** Returns the two fields of a new password. */
export function newPasswordFields({ wrong, ...texts }: SignInTexts, problem: PasswordProblem | null): Field[] {
  const said = {
    too_short: wrong.passwordShort(PASSWORD_CHARS_MIN),
    too_long: wrong.passwordLong(PASSWORD_CHARS_MAX),
    common: wrong.passwordCommon,
    personal: wrong.passwordPersonal,
    repeat: wrong.passwordRepeat,
  }
  const common = { type: 'password', autocomplete: 'new-password', lengthMax: 800 } as const
  const error = problem === null ? undefined : said[problem]
  const hint = texts.newPasswordHint(PASSWORD_CHARS_MIN)
  const isRepeat = problem === 'repeat'
  return [
    { ...common, name: 'password', label: texts.newPassword, hint, error: isRepeat ? undefined : error },
    { ...common, name: 'repeated', label: texts.repeatPassword, error: isRepeat ? error : undefined },
  ]
}

/** Returns fields with the username, which is not shown: a password manager stores both. @see [Chromium, password form styles](https://www.chromium.org/developers/design-documents/create-amazing-password-forms/) */
export function withUsername(frame: FormFrame, username: string, fields: readonly Field[]): Html {
  return html`<input type="text" name="username" value="${username}" autocomplete="username" hidden>
  ${fields.map((one) => field(frame, one))}`
}
