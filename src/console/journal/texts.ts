import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/journal.json' with { type: 'json' }

/** Texts of the lists of what happened by language. */
export const journalTexts = catalogue('console/journal', en, {
  kinds: ['n'],
  unknown: { who: ['typed'], reference: ['typed'] },
})

/** Texts of the lists of what happened. */
export type JournalTexts = TextsIn<typeof journalTexts>
