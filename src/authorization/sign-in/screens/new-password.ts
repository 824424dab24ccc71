import { type Field, type FormFrame, field } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { SignInTexts } from './texts-en.ts'

/** What is wrong with a new password. */
export type PasswordProblem = 'short' | 'long' | 'common' | 'repeat'

/** What a new password must keep to, and what was wrong with the last one. */
export type NewPassword = { readonly lengthMin: number; readonly lengthMax: number; readonly problem?: PasswordProblem }

/** Returns the two fields of a new password. The username beside them lets a password manager store both. */
export function newPasswordFields(texts: SignInTexts, { lengthMin, lengthMax, problem }: NewPassword): Field[] {
  const { wrong } = texts
  const said = {
    ...{ short: wrong.passwordShort(lengthMin), long: wrong.passwordLong(lengthMax), common: wrong.passwordCommon },
    repeat: wrong.passwordRepeat,
  }
  const common = { type: 'password', autocomplete: 'new-password', lengthMax: 1024 } as const
  const error = problem === undefined ? undefined : said[problem]
  return [
    {
      ...{ ...common, name: 'password', label: texts.newPassword, hint: texts.newPasswordHint(lengthMin) },
      error: problem === 'repeat' ? undefined : error,
    },
    { ...common, name: 'repeated', label: texts.repeatPassword, error: problem === 'repeat' ? error : undefined },
  ]
}

/** Returns fields with the username, which is not shown. @see [Chromium, password form styles](https://www.chromium.org/developers/design-documents/create-amazing-password-forms/) */
export function withUsername(frame: FormFrame, username: string, fields: readonly Field[]): Html {
  return html`<input type="text" name="username" value="${username}" autocomplete="username" hidden>${fields.map((one) => field(frame, one))}`
}
