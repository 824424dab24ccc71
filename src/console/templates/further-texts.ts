import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/templates-more.json' with { type: 'json' }

/** See {@link FurtherTexts}, by language. */
export const furtherTexts = catalogue('console/templates-more', en)

/** Texts about which wallets get a card, where its values come from, and its name in wallets. */
export type FurtherTexts = TextsIn<typeof furtherTexts>
