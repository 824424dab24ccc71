import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/providers.json' with { type: 'json' }

/** Texts of the screens of sign-in providers by language. */
export const providerTexts = catalogue('console/providers', en, {
  nameHint: ['address'],
  there: ['row'],
  here: ['row'],
  audienceHint: ['issuer'],
})
