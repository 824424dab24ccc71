/** Languages of the pages, with their own names. The first is the default. */
export const languages = { en: 'English', fr: 'Français', de: 'Deutsch' } as const

/** A language of the pages. */
export type Language = keyof typeof languages

/** The languages of the pages, the default first. */
export const allLanguages: readonly Language[] = Object.keys(languages).filter(isLanguage)

/** Returns whether a text names a language of the pages. */
export function isLanguage(text: string | null | undefined): text is Language {
  return text != null && Object.hasOwn(languages, text)
}
