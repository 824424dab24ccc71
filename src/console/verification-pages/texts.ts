import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/verification-pages.json' with { type: 'json' }

/** Texts of the screens of verification pages by language. */
export const verificationPageTexts = catalogue('console/verification-pages', en)
