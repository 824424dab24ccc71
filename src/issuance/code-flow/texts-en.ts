/** Texts of the consent page of an issuer in English. The shape that every language has. */
export const en = {
  title: (credential: string) => `Add “${credential}” to a wallet?`,
  as: (username: string, organisation: string) => `You are signed in as ${username} of ${organisation}.`,
  issuer: 'Issued by',
  wallet: 'Goes to',
  content: 'What it contains',
  /** The values are not known before the user agrees. */
  contentLater: (organisation: string) => `${organisation} fills it in when you agree. It may contain:`,
  notRegistered: (organisation: string) =>
    `${organisation} does not know this wallet. Continue only if you have just asked for the credential there.`,
  website: (host: string) => `the website ${host}`,
  app: (scheme: string) => `an app on this device (${scheme})`,
  local: 'a program on this computer',
  allow: 'Add to wallet',
  deny: 'Decline',
  yes: 'yes',
  no: 'no',
  none: 'not stated',
  file: 'an image or file',
  more: (count: number) => `and ${count} more`,
}

/** Texts in one language. */
export type ConsentTexts = typeof en
