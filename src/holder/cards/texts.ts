import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/holder/cards.json' with { type: 'json' }

/** The texts by language. */
export const cardTexts = catalogue('holder/cards', en, {
  offers: ['issuer'],
  asks: ['verifier'],
  noAnswer: ['verifier'],
  endsOn: ['name', 'issuer', 'date'],
  endsOnText: ['issuer'],
  calls: ['name'],
  checked: ['when'],
  more: ['count'],
  got: ['name'],
  maybeSaw: ['names'],
  with: ['verifier'],
  saw: ['names'],
  linkFor: ['recipient'],
  linkShows: ['names'],
  linkViews: ['count'],
  linkHour: ['count'],
})

/** The texts of cards and history. */
export type CardTexts = TextsIn<typeof cardTexts>
