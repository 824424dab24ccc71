import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/holder/trust.json' with { type: 'json' }

/** The texts by language. */
export const trustTexts = catalogue('holder/trust', en)
