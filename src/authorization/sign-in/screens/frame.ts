import type { Language } from '../../../contract/languages.ts'
import type { FormFrame } from '../../../pages/form.ts'
import { spaced } from '../../../pages/language.ts'
import { en, type SignInTexts } from './texts-en.ts'
import { fr } from './texts-fr.ts'

/** What a screen needs besides its props: the language, and what makes a form. */
export type ScreenFrame = FormFrame & { readonly language: Language }

const texts: Readonly<Record<Language, SignInTexts>> = { en, fr: spaced(fr) }

/** Returns the texts of the sign-in in the language of a screen. */
export function textsOf({ language }: Pick<ScreenFrame, 'language'>): SignInTexts {
  return texts[language]
}
