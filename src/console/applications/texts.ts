import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/applications.json' with { type: 'json' }

/** Texts of the screens of applications by language. */
export const applicationTexts = catalogue('console/applications', en)
