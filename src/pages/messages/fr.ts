import type { PageTexts } from './en.ts'

/** Texts of the kit in French. */
export const fr = {
  skip: 'Aller au contenu',
  languages: 'Langue',
  privacy: 'Politique de confidentialité',
  help: 'Aide :',
  errorInTitle: (title) => `Erreur : ${title}`,
  problems: 'Il y a un problème',
  optional: 'facultatif',
  leaving: 'Un instant',
  leavingLink: 'Continuer',
  cancel: 'Annuler',
  copy: 'Copier',
  copied: 'Copié',
  menu: 'Menu',
  tryAgain: 'Réessayer',
  choose: 'Choisir',
  yes: 'Oui',
  no: 'Non',
  notSignedIn: {
    title: 'La connexion n’a pas abouti',
    advice: 'Elle a duré trop longtemps, a été ouverte dans un autre navigateur, ou a été annulée.',
    again: 'Se reconnecter',
  },
  otherPerson: {
    title: 'Une autre personne s’est connectée',
    advice:
      'La personne qui a commencé devait confirmer. Rien n’a été envoyé. Déconnectez-vous, puis connectez-vous comme cette personne.',
    leave: 'Se déconnecter',
  },
  formLost:
    'Vous étiez déconnecté, et ce que vous aviez ouvert ou saisi n’a pas pu être gardé. Voyez où cela en est, et recommencez.',
  signOut: {
    title: 'Se déconnecter',
    advice: 'Vous serez déconnecté dans tous les onglets de ce navigateur.',
    sign: 'Se déconnecter',
  },
  pages: { label: 'Pages', next: 'Suivant', previous: 'Précédent' },
  sorting: {
    label: 'Trier',
    colon: '\u00a0: ',
    text: { ascending: 'de A à Z', descending: 'de Z à A' },
    time: { ascending: 'du plus ancien au plus récent', descending: 'du plus récent au plus ancien' },
  },
  refused: {
    missing: ['Page introuvable', 'Vérifiez l’adresse. Si vous avez suivi un lien, il est peut-être incomplet.'],
    method: ['Page introuvable', 'Cette adresse n’accepte pas ce type de demande. Revenez en arrière et recommencez.'],
    forbidden: [
      'Vous ne pouvez pas faire cela',
      'Votre compte n’en a pas le droit. Adressez-vous à un responsable de votre organisation.',
    ],
    invalid: ['La demande est incomplète', 'Revenez en arrière, vérifiez votre saisie et réessayez.'],
    stale: [
      'Cette page est restée ouverte trop longtemps',
      'Vous vous êtes connecté ou déconnecté entre-temps, ou votre navigateur bloque les cookies. Rien n’a été modifié. Ouvrez de nouveau la page.',
    ],
    foreign: ['La demande venait d’un autre site', 'Rien n’a été modifié. Ouvrez la page ici et réessayez.'],
    client: [
      'L’application a fait une erreur',
      'Revenez à l’application et réessayez. Si cela se reproduit, transmettez ce qui suit à ses auteurs.',
    ],
    large: ['Vous avez envoyé trop de données', 'Revenez en arrière et envoyez-en moins.'],
    busy: ['Trop de tentatives', 'Patientez un instant, puis réessayez.'],
    away: ['Le service est momentanément indisponible', 'Rien n’a été modifié. Réessayez dans une minute.'],
    failed: ['Une erreur s’est produite', 'Elle vient de nous. Réessayez ; si elle se reproduit, demandez de l’aide.'],
  },
  roles: {
    holder: 'Titulaire',
    issuer: 'Émetteur',
    verifier: 'Vérificateur',
    'trust-admin': 'Administrateur des certificats',
    'user-admin': 'Administrateur des personnes',
    auditor: 'Auditeur',
    owner: 'Propriétaire',
  },
  openAgain: 'Ouvrir de nouveau la page',
  toStart: 'Aller à la page d’accueil',
  waitFor: (wait) => `Réessayez dans ${wait}.`,
  errorId: 'Si vous demandez de l’aide, indiquez ce numéro :',
} satisfies PageTexts
