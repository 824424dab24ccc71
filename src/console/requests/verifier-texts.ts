import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/requests-more.json' with { type: 'json' }

/** See {@link VerifierTexts}, by language. */
export const verifierTexts = catalogue('console/requests-more', en, { timeOther: ['seconds'], info: ['place'] })

/** Texts about how a request is made, and about what is seldom changed. */
export type VerifierTexts = TextsIn<typeof verifierTexts>
