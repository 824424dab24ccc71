import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/digital-request.json' with { type: 'json' }

/** Texts of the page by language. */
export const digitalRequestTexts = catalogue('digital-request', en, { asks: ['organisation'] })
