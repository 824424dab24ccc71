import type { Language } from '../contract/languages.ts'
import { spaced } from '../pages/language.ts'

const en = {
  asksFor: (name: string) => `${name} asks you for a credential`,
  asks: 'You are asked for:',
  purpose: 'Why:',
  choice: 'You see what is sent before you agree. This page never shows it.',
  begin: 'Begin',
  again: 'Begin again',
  scan: 'Scan this code with the wallet on your phone.',
  qr: 'Code of the request, for a wallet on another device',
  sameDevice: 'Open a wallet on this device',
  noApp: 'No app?',
  ownWallet: (host: string) => `Use your wallet at ${host}`,
  browserWallet: 'Choose from your browser',
  browserDone: 'Sent.',
  browserFailed: 'Nothing was sent. Try again, or take another way.',
  waiting: 'Waiting for your wallet',
  lasts: (wait: string) => `The request ends in ${wait}.`,
  reload: 'This page renews itself every few seconds.',
  privacy: 'Privacy notice',
  help: 'Help:',
  back: (host: string) => `Go back to ${host}`,
  newWindow: 'Open in a window of its own',
  framed: (name: string) => `Asked by ${name}`,
  outcomes: {
    verified: ['Accepted', 'Your credential was checked and accepted.'],
    answered: ['Received', 'Your answer arrived. You will hear from the organisation.'],
    failed: [
      'Not accepted',
      'Your wallet answered, but the credential was not accepted: it may have expired, been revoked, or come from an issuer that is not accepted.',
    ],
    rejected: ['You shared nothing', 'Your wallet declined. You can begin again.'],
    expired: ['The time ran out', 'The request has ended, and nothing was sent. You can begin again.'],
  } as Readonly<Record<string, readonly [string, string]>>,
  awaitsReturn: [
    'Your wallet has answered',
    'Go on in the window that your wallet opened: it leads back here, where the outcome is told.',
  ],
  returned: [
    'You are back',
    'Your wallet has answered. Go on where you began, in the other window or on the other device.',
  ],
  refused: {
    unknown: ['There is no such page', 'Check the address, or ask the organisation for a new link.'],
    closed: [
      'This page is closed',
      'The organisation takes no credentials here now. Ask it when the page opens again.',
    ],
    busy: ['Too many people are here right now', 'Nothing was lost.'],
    origin: [
      'This website may not show the page',
      'The organisation has not listed it. If it is your website, add its address to the verification page.',
    ],
    failed: ['This does not work right now', 'Nothing was sent. Try again in a minute.'],
  } as const satisfies Record<string, readonly [string, string]>,
  waitFor: (wait: string) => `Try again in ${wait}.`,
  tryAgain: 'Try again',
}

/** Texts of the pages for visitors. */
type VisitorTexts = Omit<typeof en, 'refused' | 'returned' | 'awaitsReturn'> & {
  readonly returned: readonly string[]
  readonly awaitsReturn: readonly string[]
  readonly refused: Readonly<Record<keyof typeof en.refused, readonly [string, string]>>
}

const fr: VisitorTexts = {
  asksFor: (name) => `${name} vous demande une attestation`,
  asks: 'On vous demande :',
  purpose: 'Pourquoi :',
  choice: 'Vous voyez ce qui part avant d’accepter. Cette page ne le montre jamais.',
  begin: 'Commencer',
  again: 'Recommencer',
  scan: 'Scannez ce code avec le portefeuille de votre téléphone.',
  qr: 'Code de la demande, pour un portefeuille sur un autre appareil',
  sameDevice: 'Ouvrir un portefeuille sur cet appareil',
  noApp: 'Pas d’application ?',
  ownWallet: (host) => `Utilisez votre portefeuille sur ${host}`,
  browserWallet: 'Choisir dans votre navigateur',
  browserDone: 'Envoyé.',
  browserFailed: 'Rien n’a été envoyé. Réessayez, ou prenez un autre moyen.',
  waiting: 'En attente de votre portefeuille',
  lasts: (wait) => `La demande se termine dans ${wait}.`,
  reload: 'Cette page se renouvelle toutes les quelques secondes.',
  privacy: 'Protection des données',
  help: 'Aide :',
  back: (host) => `Revenir à ${host}`,
  newWindow: 'Ouvrir dans une fenêtre à part',
  framed: (name) => `Demandé par ${name}`,
  outcomes: {
    verified: ['Acceptée', 'Votre attestation a été vérifiée et acceptée.'],
    answered: ['Reçue', 'Votre réponse est arrivée. L’organisation vous en dira plus.'],
    failed: [
      'Non acceptée',
      'Votre portefeuille a répondu, mais l’attestation n’a pas été acceptée : elle a peut-être expiré, été révoquée, ou vient d’un émetteur qui n’est pas accepté.',
    ],
    rejected: ['Vous n’avez rien partagé', 'Votre portefeuille a refusé. Vous pouvez recommencer.'],
    expired: ['Le temps est écoulé', 'La demande est terminée et rien n’a été envoyé. Vous pouvez recommencer.'],
  },
  awaitsReturn: [
    'Votre portefeuille a répondu',
    'Continuez dans la fenêtre que votre portefeuille a ouverte : elle ramène ici, où le résultat est dit.',
  ],
  returned: [
    'Vous voilà de retour',
    'Votre portefeuille a répondu. Continuez là où vous avez commencé, dans l’autre fenêtre ou sur l’autre appareil.',
  ],
  refused: {
    unknown: ['Cette page n’existe pas', 'Vérifiez l’adresse, ou demandez un nouveau lien à l’organisation.'],
    closed: [
      'Cette page est fermée',
      'L’organisation ne prend pas d’attestations ici pour le moment. Demandez-lui quand la page rouvrira.',
    ],
    busy: ['Trop de monde en ce moment', 'Rien n’est perdu.'],
    origin: [
      'Ce site ne peut pas montrer la page',
      'L’organisation ne l’a pas indiqué. Si c’est votre site, ajoutez son adresse à la page de vérification.',
    ],
    failed: ['Cela ne fonctionne pas pour le moment', 'Rien n’a été envoyé. Réessayez dans une minute.'],
  },
  waitFor: (wait) => `Réessayez dans ${wait}.`,
  tryAgain: 'Réessayer',
}

/** Texts of the pages for visitors by language. */
export const visitorTexts: Readonly<Record<Language, VisitorTexts>> = { en, fr: spaced(fr) }
