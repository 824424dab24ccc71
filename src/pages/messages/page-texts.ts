import { catalogue, type TextsIn } from './catalogue.ts'
import en from './en/pages.json' with { type: 'json' }

/** Texts of the kit by language. */
export const pageTexts = catalogue('pages', en, { errorInTitle: ['title'], waitFor: ['wait'] })

/** Texts of the kit. */
export type PageTexts = TextsIn<typeof pageTexts>
