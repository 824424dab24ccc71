import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/webhooks.json' with { type: 'json' }

/** Texts of the screens of webhooks by language. */
export const webhookTexts = catalogue('console/webhooks', en, {
  someTypes: ['count'],
  answered: ['status'],
  took: ['ms'],
})

/** Texts of the screens of webhooks. */
export type WebhookTexts = TextsIn<typeof webhookTexts>
