import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/holder/links.json' with { type: 'json' }

/** The texts of links by language. */
export const holderLinkTexts = catalogue('holder/links', en, {
  title: ['card'],
  for: ['recipient'],
  ofCard: ['card'],
  views: ['count'],
  hour: ['count'],
})

/** The texts of one language. */
export type HolderLinkTexts = TextsIn<typeof holderLinkTexts>
