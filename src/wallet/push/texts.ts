import type { Language } from '../../contract/languages.ts'
import { isLanguage } from '../../contract/languages.ts'
import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/push.json' with { type: 'json' }

const texts = catalogue('push', en)

/**
 * Returns the text of a message in a language of the pages; English for any other. The same for every person and every
 * cause.
 */
export function pushText(language: string): { readonly title: string; readonly body: string; readonly lang: Language } {
  const lang = isLanguage(language) ? language : 'en'
  return { ...texts[lang], lang }
}
