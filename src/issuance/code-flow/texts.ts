import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/consent.json' with { type: 'json' }

/** Texts of the consent page of an issuer by language. */
export const consentTexts = catalogue('consent', en, {
  title: ['credential'],
  as: ['username', 'organisation'],
  contentLater: ['organisation'],
  lacksClaims: ['organisation'],
  notRegistered: ['organisation'],
  website: ['host'],
  app: ['scheme'],
  more: ['count'],
})

/** Texts of the consent page of an issuer. */
export type ConsentTexts = TextsIn<typeof consentTexts>
