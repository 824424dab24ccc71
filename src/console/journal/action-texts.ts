import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/actions.json' with { type: 'json' }

/** Words for actions and subjects by language. */
export const actionTexts = catalogue('console/actions', en)
