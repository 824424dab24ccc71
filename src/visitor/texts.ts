import { catalogue } from '../pages/messages/catalogue.ts'
import en from '../pages/messages/en/visitor.json' with { type: 'json' }

/** Texts of the pages for visitors by language. */
export const visitorTexts = catalogue('visitor', en, {
  asksFor: ['name'],
  ownWallet: ['host'],
  lasts: ['wait'],
  back: ['host'],
  framed: ['name'],
  waitFor: ['wait'],
})
