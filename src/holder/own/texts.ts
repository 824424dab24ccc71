import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: 'Settings',
  language: 'Language',
  languageText: 'Choose it at the end of each page. It is kept in this browser.',
  account: 'Sign-in',
  accountText: 'Password, passkeys, and the browsers in which you are signed in.',
  accountLink: 'Your account',
  signOut: 'Sign out',
  data: 'Your data',
  dataText:
    'Everything in your wallet but its keys: the cards as they were issued, your history, and the browsers with messages.',
  json: 'Download (JSON)',
  print: 'A page to print',
  all: 'Delete everything',
  allText: 'All cards with their keys, all requests and your history. Your account stays.',
  deleteLink: 'Delete everything …',
  deleteTitle: 'Delete everything in your wallet?',
  deleteText:
    'All cards and their keys are destroyed, with your history. Nobody can bring them back; you need new cards from their issuers. What you shared stays with those whom you gave it to.',
  sure: 'I know that this is final',
  sureMissing: 'Tick the box to delete everything.',
  delete: 'Delete everything',
  deleted: 'Your wallet is empty. Nothing is left in it.',
  printTitle: 'Your data',
  made: 'As of',
  nothing: 'Your wallet is empty: it has no card and no history. Scan a code, or open the link that you were sent.',
  notPrinted: (count: number) =>
    `${count === 1 ? '1 more value is' : `${count} more values are`} too long for paper. The download (JSON) has all.`,
  olderHistory: (count: number) => `These are the newest ${count} entries. “History” has the older ones.`,
  noCards: 'There is no card in your wallet now.',
  cards: 'Cards',
  history: 'History',
  backToSettings: 'Back to the settings',
  install: 'On the home screen',
  installText:
    'Your browser can put this wallet there: choose “Install” or “Add to home screen” in its menu. Nothing about you is kept on the device.',
  offlineTitle: 'No connection',
  offline: 'Your cards are kept on the server, not on this device. Connect, and open the page again.',
}

/** The texts of settings and own data. */
type OwnTexts = typeof en

const fr: OwnTexts = {
  title: 'Réglages',
  language: 'Langue',
  languageText: 'Choisissez-la en bas de chaque page. Elle est gardée dans ce navigateur.',
  account: 'Connexion',
  accountText: 'Mot de passe, clés d’accès, et navigateurs où vous êtes connecté.',
  accountLink: 'Votre compte',
  signOut: 'Se déconnecter',
  data: 'Vos données',
  dataText:
    'Tout votre portefeuille sauf les clés : les cartes telles qu’émises, votre historique, et les navigateurs avec notifications.',
  json: 'Télécharger (JSON)',
  print: 'Une page à imprimer',
  all: 'Tout supprimer',
  allText: 'Toutes les cartes avec leurs clés, les demandes et votre historique. Votre compte reste.',
  deleteLink: 'Tout supprimer…',
  deleteTitle: 'Tout supprimer de votre portefeuille ?',
  deleteText:
    'Toutes les cartes et leurs clés sont détruites, avec votre historique. Personne ne peut les rendre ; il vous faudra de nouvelles cartes. Ce que vous avez partagé reste chez ceux qui l’ont reçu.',
  sure: 'Je sais que c’est définitif',
  sureMissing: 'Cochez la case pour tout supprimer.',
  delete: 'Tout supprimer',
  deleted: 'Votre portefeuille est vide. Il n’y reste rien.',
  printTitle: 'Vos données',
  made: 'État du',
  nothing: 'Votre portefeuille est vide : ni carte, ni historique. Scannez un code ou ouvrez le lien reçu.',
  notPrinted: (count) =>
    `${count === 1 ? '1 valeur de plus est trop longue' : `${count} valeurs de plus sont trop longues`} pour le papier. Le fichier (JSON) contient tout.`,
  olderHistory: (count) => `Ce sont les ${count} entrées les plus récentes. « Historique » montre les plus anciennes.`,
  noCards: 'Il n’y a pas de carte dans votre portefeuille.',
  cards: 'Cartes',
  history: 'Historique',
  backToSettings: 'Retour aux réglages',
  install: 'Sur l’écran d’accueil',
  installText:
    'Votre navigateur peut y placer ce portefeuille : choisissez « Installer » ou « Ajouter à l’écran d’accueil ». Rien de vous n’est gardé sur l’appareil.',
  offlineTitle: 'Pas de connexion',
  offline: 'Vos cartes sont sur le serveur, pas sur cet appareil. Connectez-vous au réseau et rouvrez la page.',
}

/** The texts by language. */
export const ownTexts: Readonly<Record<Language, OwnTexts>> = { en, fr: spaced(fr) }
