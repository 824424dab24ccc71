import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  wallet: (organisation: string) => `${organisation} wallet`,
  account: 'Your account',
  signOut: 'Sign out',
  menu: { label: 'Menu', cards: 'Cards', scan: 'Scan', history: 'History', settings: 'Settings' },
  back: 'Back to your cards',
  cancel: 'Cancel',
  kept: 'You were signed out before this was sent. It is still here: check it and send it.',
  more: 'What the server said',
  refused: {
    400: ['That did not work', 'Go back, check what you entered, and try again.'],
    403: ['You cannot do this', 'Your organisation does not allow it. Ask the people who run it.'],
    404: ['This is not here', 'The page was removed, belongs to another person, or the link is incomplete.'],
    409: ['It has changed in the meantime', 'Open the page again and look at how it stands now.'],
    429: ['Too many attempts', 'Wait a moment, then try again.'],
    500: ['We are not available right now', 'Nothing was changed. Try again in a minute.'],
  } satisfies Record<number, readonly [string, string]>,
}

/** The texts that all pages of the holder share. */
export type HolderTexts = typeof en

const fr: HolderTexts = {
  wallet: (organisation) => `Portefeuille ${organisation}`,
  account: 'Votre compte',
  signOut: 'Se déconnecter',
  menu: { label: 'Menu', cards: 'Cartes', scan: 'Scanner', history: 'Historique', settings: 'Réglages' },
  back: 'Retour à vos cartes',
  cancel: 'Annuler',
  kept: 'Vous étiez déconnecté avant l’envoi. Rien n’est perdu : vérifiez et envoyez.',
  more: 'Réponse du serveur',
  refused: {
    400: ['Cela n’a pas fonctionné', 'Revenez en arrière, vérifiez votre saisie et réessayez.'],
    403: ['Vous ne pouvez pas faire cela', 'Votre organisation ne l’autorise pas. Adressez-vous à ses responsables.'],
    404: ['Rien ici', 'L’élément a été supprimé, appartient à quelqu’un d’autre, ou le lien est incomplet.'],
    409: ['L’état a changé entre-temps', 'Rouvrez la page pour voir où cela en est.'],
    429: ['Trop de tentatives', 'Attendez un moment, puis réessayez.'],
    500: ['Service indisponible', 'Rien n’a été modifié. Réessayez dans une minute.'],
  },
}

/** The texts by language. */
export const holderTexts: Readonly<Record<Language, HolderTexts>> = { en, fr: spaced(fr) }
