import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/people.json' with { type: 'json' }

/** Texts of the screens of people by language. */
export const peopleTexts = catalogue('console/people', en)
