import { catalogue, type TextsIn } from '../../../pages/messages/catalogue.ts'
import en from '../../../pages/messages/en/sign-in.json' with { type: 'json' }

/** Texts of the sign-in by language. */
export const signInTexts = catalogue('sign-in', en, {
  signInTo: ['organisation'],
  withProvider: ['name'],
  wrong: { locked: ['wait'], passwordShort: ['least'], passwordLong: ['most'] },
  welcome: { title: ['organisation'], intro: ['username'] },
  reset: { newFor: ['username'] },
  newPasswordHint: ['least'],
  account: {
    byLink: ['actor'],
    byProvider: ['actor'],
    byToken: ['actor'],
    byClient: ['actor'],
    removeAsk: ['name'],
    made: ['when'],
    used: ['when'],
    seen: ['when'],
    from: ['network'],
  },
  consent: { title: ['client'], host: ['host'], as: ['username', 'organisation'] },
  mail: { greeting: ['username'], reset: ['organisation'], welcome: ['organisation'] },
})

/** Texts of the sign-in. */
export type SignInTexts = TextsIn<typeof signInTexts>
