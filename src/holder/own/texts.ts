import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/holder/own.json' with { type: 'json' }

/** The texts by language. */
export const ownTexts = catalogue('holder/own', en, { notPrinted: ['count'], olderHistory: ['count'] })
