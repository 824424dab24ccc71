import type { Language } from '../../../contract/languages.ts'
import type { FormFrame } from '../../../pages/form.ts'
import { type SignInTexts, signInTexts } from './texts.ts'

/** What a screen needs besides its props: the language, and what makes a form. */
export type ScreenFrame = FormFrame & { readonly language: Language }

/** Returns the texts of the sign-in in the language of a screen. */
export function textsOf({ language }: Pick<ScreenFrame, 'language'>): SignInTexts {
  return signInTexts[language]
}
