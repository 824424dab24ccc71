import { catalogue, type TextsIn } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/console/settings.json' with { type: 'json' }

/** Texts of the screens of settings by language. */
export const settingTexts = catalogue('console/settings', en)

/** Texts of the screens of settings. */
export type SettingTexts = TextsIn<typeof settingTexts>
