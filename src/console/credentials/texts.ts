import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/credentials.json' with { type: 'json' }

/** Texts of the credential screens by language. */
export const credentialTexts = catalogue('console/credentials', en, {
  count: ['count', 'n'],
  changed: ['done', 'all'],
  issueOf: ['template'],
  replace: { title: ['template'], note: ['name'] },
})

/** Texts of the credential screens. */
export type CredentialTexts = TextsIn<typeof credentialTexts>
