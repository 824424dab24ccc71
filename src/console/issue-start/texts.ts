import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/new-card.json' with { type: 'json' }

/** Texts of a new kind of card from a table by language. */
export const cardTexts = catalogue('console/new-card', en, {
  becomes: ['name'],
  moreOf: ['name'],
  whole: ['fitting', 'filled'],
  decimal: ['fitting', 'filled'],
  date: ['fitting', 'filled'],
  boolean: ['fitting', 'filled'],
})

/** Texts of a new kind of card from a table. */
export type CardTexts = TextsIn<typeof cardTexts>
