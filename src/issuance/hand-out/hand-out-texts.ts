import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/hand-out.json' with { type: 'json' }

/** Texts of the table of items and of letters, by language. */
export const handOutTexts = catalogue('hand-out', en, {
  letter: { title: ['name'], slips: ['name'], from: ['organisation'], ends: ['end'] },
})
