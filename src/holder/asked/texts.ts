import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/holder/asked.json' with { type: 'json' }

/** The texts by language. */
export const askedTexts = catalogue('holder/asked', en, {
  title: ['verifier', 'count'],
  titleNone: ['verifier'],
  titleUnfit: ['verifier'],
  calls: ['name'],
  quoted: ['text'],
  kept: ['time'],
  use: ['card'],
  staysMore: ['count'],
  more: ['count'],
  tooMuch: ['count'],
  olderCards: ['count'],
  share: ['count', 'verifier'],
  issuedBy: ['issuers'],
  newly: ['names'],
  gone: ['names'],
  backTo: ['host'],
})

/** The texts of the consent. */
export type AskedTexts = TextsIn<typeof askedTexts>
