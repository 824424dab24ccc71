import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/holder/frame.json' with { type: 'json' }

/** The texts by language. */
export const holderTexts = catalogue('holder/frame', en, { wallet: ['organisation'] })

/** The texts that all pages of the holder share. */
export type HolderTexts = TextsIn<typeof holderTexts>
