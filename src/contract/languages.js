/** Languages of the pages, with their own names. The first is the default. */
export const languages = { en: 'English', fr: 'Français', de: 'Deutsch' }
/** Returns whether a text names a language of the pages. */
export function isLanguage(text) {
  return text != null && Object.hasOwn(languages, text)
}
