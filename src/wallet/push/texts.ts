import type { Language } from '../../contract/languages.ts'

/** What a message says: the same for every person and every cause. */
type PushText = { readonly title: string; readonly body: string; readonly lang: Language }

const texts: Readonly<Record<Language, PushText>> = {
  en: { title: 'Your wallet', body: 'Something is waiting for you.', lang: 'en' },
  fr: { title: 'Votre portefeuille', body: 'Quelque chose vous attend.', lang: 'fr' },
}

/** Returns the text of a message in a language of the pages; English for any other. */
export function pushText(language: string): PushText {
  return language === 'fr' ? texts.fr : texts.en
}
