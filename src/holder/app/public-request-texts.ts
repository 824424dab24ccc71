import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/holder/public-requests.json' with { type: 'json' }

/** The texts by language. */
export const publicRequestTexts = catalogue('holder/public-requests', en, { title: ['organisation'] })
