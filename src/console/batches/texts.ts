import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/batches.json' with { type: 'json' }

/** Texts of the screens of batches by language. */
export const batchTexts = catalogue('console/batches', en, {
  progress: ['done', 'total'],
  notTaken: ['count', 'n'],
  remind: ['count', 'n'],
  remindText: ['count', 'n'],
})

/** Texts of the screens of batches. */
export type BatchTexts = TextsIn<typeof batchTexts>
