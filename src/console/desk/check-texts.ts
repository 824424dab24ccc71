import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/checks.json' with { type: 'json' }

/** Words for checks by language. */
export const checkTexts = catalogue('console/checks', en)

/** Words for the checks of a presented credential: their names, outcomes and grounds, and what each issue means. */
export type CheckTexts = TextsIn<typeof checkTexts>
