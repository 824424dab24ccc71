import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/desk.json' with { type: 'json' }

/** Texts of the screens at the desk by language. */
export const deskTexts = catalogue('console/desk', en)

/** Texts of the screens at the desk. */
export type DeskTexts = TextsIn<typeof deskTexts>
