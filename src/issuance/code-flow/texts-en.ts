/** Texts of the consent page of an issuer in English. The shape that every language has. */
export const en = {
  title: (credential: string) => `Add “${credential}” to a wallet?`,
  as: (username: string, organisation: string) => `You are signed in as ${username} of ${organisation}.`,
  issuer: 'Issued by',
  wallet: 'Goes to',
  content: 'What it contains',
  /** The values are not known before the user agrees. */
  contentLater: (organisation: string) => `${organisation} fills it in when you agree. It may contain:`,
  contentOfProvider: 'It is made from what your identity provider states about you. It may contain:',
  /**
   * The user signed in with a password or a passkey of this server, or at another provider than the one that is needed.
   */
  lacksClaims: (organisation: string) =>
    `${organisation} makes this credential from what its identity provider states about you, and this sign-in brought nothing from there. Sign in at the identity provider instead. If you have no account there, ask ${organisation}.`,
  signInElsewhere: 'Sign in at the identity provider',
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
