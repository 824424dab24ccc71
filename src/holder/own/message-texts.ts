import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/holder/messages.json' with { type: 'json' }

/** The texts by language. */
export const messageTexts = catalogue('holder/messages', en)
