import { catalogue, type TextsIn } from '../pages/messages/catalogue.ts'
import en from '../pages/messages/en/visitor-links.json' with { type: 'json' }

/** Texts of the pages that show and check cards, by language. */
export const linkTexts = catalogue('visitor-links', en, {
  proved: ['identifier'],
  moreValues: ['count'],
  when: ['when'],
  ofOther: ['audience'],
})

/** The texts of one language. */
export type LinkTexts = TextsIn<typeof linkTexts>
