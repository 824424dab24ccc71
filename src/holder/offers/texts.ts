import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/holder/offers.json' with { type: 'json' }

/** The texts by language. */
export const offerTexts = catalogue('holder/offers', en, {
  title: ['issuer'],
  many: ['count'],
  codeHint: { digits: ['length'], characters: ['length'] },
  codeWrong: ['left'],
  signIn: ['host'],
  signInAdvice: ['host'],
  ended: {
    taken: { advice: ['issuer'] },
    expired: { advice: ['issuer'] },
    canceled: { advice: ['issuer'] },
    locked: { advice: ['issuer'] },
    ended: { advice: ['issuer'] },
    unknown: { advice: ['issuer'] },
    unsaid: { advice: ['issuer'] },
  },
  newWalletHint: ['issuer'],
  madeAdvice: ['username', 'issuer'],
  pageTitle: ['issuer'],
})

/** The texts of offers and links. */
export type OfferTexts = TextsIn<typeof offerTexts>
