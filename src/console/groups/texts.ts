import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/groups.json' with { type: 'json' }

/** Texts of the screens of groups by language. */
export const groupTexts = catalogue('console/groups', en, { takeOf: ['name'] })
