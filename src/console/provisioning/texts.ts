import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/provisioning.json' with { type: 'json' }

/** Texts of the screens of directory sync by language. */
export const provisioningTexts = catalogue('console/provisioning', en, {
  clientIdHint: ['role'],
  noApplication: ['role'],
  removeOf: ['name'],
})
