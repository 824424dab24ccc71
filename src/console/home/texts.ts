import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  hello: (name: string) => `Hello, ${name}`,
  helloAll: 'Hello',
  issue: 'Issue a credential',
  verify: 'Verify someone',
  figures: 'Figures',
  asOf: 'Figures as of',
  valid: 'Valid credentials',
  endSoon: (count: string, n: number) => `${count} ${n === 1 ? 'ends' : 'end'} within 30 days`,
  offered: 'Offered, not yet taken',
  suspendedOrRevoked: 'Suspended or revoked',
  suspended: (count: string) => `${count} suspended`,
  verifiedToday: 'Verified today',
  taken: 'Taken',
  needsYou: 'Needs you',
  things: (count: string, n: number) => `${count} ${n === 1 ? 'thing' : 'things'}`,
  nothingNeeded: 'Nothing needs you right now.',
  needs: {
    deferredIssuances: {
      state: 'Waiting',
      text: (count: string, n: number) =>
        n === 1 ? 'One credential waits for approval' : `${count} credentials wait for approval`,
      action: 'Decide',
    },
    failedBatches: {
      state: 'Failed',
      text: (count: string, n: number) =>
        n === 1 ? 'One table has rows that could not be issued' : `${count} tables have rows that could not be issued`,
      action: 'Repair',
    },
    endingCertificates: {
      state: 'Soon',
      text: (count: string, n: number) =>
        n === 1 ? 'One certificate ends within 30 days' : `${count} certificates end within 30 days`,
      action: 'Renew',
    },
    disabledEndpoints: {
      state: 'Off',
      text: (count: string, n: number) =>
        n === 1
          ? 'One webhook was switched off because it failed'
          : `${count} webhooks were switched off because they failed`,
      action: 'Look into it',
    },
    failedDeliveries: {
      state: 'Failed',
      text: (count: string, n: number) =>
        n === 1
          ? 'One delivery to a wallet failed in the last 30 days'
          : `${count} deliveries to wallets failed in the last 30 days`,
      action: 'Look into it',
    },
    failedOfferMails: {
      state: 'Failed',
      text: (count: string, n: number) =>
        n === 1 ? 'One offer could not be sent by mail' : `${count} offers could not be sent by mail`,
      action: 'Look into it',
    },
    unverifiableStatusLists: {
      state: 'Failed',
      text: (count: string, n: number) =>
        n === 1
          ? 'One list of revoked credentials is not accepted any more: its certificate has ended'
          : `${count} lists of revoked credentials are not accepted any more: their certificates have ended`,
      action: 'Renew',
    },
    endingSecrets: {
      state: 'Soon',
      text: (count: string, n: number) =>
        n === 1
          ? 'One secret of an application ends within 30 days'
          : `${count} secrets of applications end within 30 days`,
      action: 'Renew',
    },
  },
  allFigures: 'All figures',
  figuresTitle: 'Figures',
  range: 'Time',
  lastMonths: 'The last 12 months',
  lastDays: 'The last 30 days',
  template: 'Template',
  issued: 'Credentials',
  verifications: 'Verifications',
  noFigures: 'Nothing has happened in this time.',
  issuanceMetrics: {
    offered: 'Offered',
    completed: 'Taken',
    expired: 'Expired',
    failed: 'Failed',
    revoked: 'Revoked',
    suspended: 'Suspended',
  } as Readonly<Record<string, string>>,
  presentationMetrics: {
    requested: 'Asked',
    verified: 'Verified',
    rejected: 'Refused',
    failed: 'Failed',
    expired: 'Expired',
  } as Readonly<Record<string, string>>,
  byDay: 'Credentials taken by day',
  day: 'Day',
  searchTitle: 'Find',
  searchText: 'Write what you look for.',
  nothingFound: 'Nothing by that name.',
  searchHint:
    'You find people by name, username or e-mail address, credentials by the beginning of their reference, and both by their number.',
  kinds: { user: 'People', issuance: 'Credentials', presentationRequest: 'Verifications' },
  setUp: 'Set up your organisation',
  steps: {
    template: 'Make a template',
    issued: 'Issue the first credential',
    people: 'Invite your colleagues',
    request: 'Make a request for the desk',
  },
  done: 'Done',
  open: 'To do',
  latest: 'As it happens',
  live: 'Live',
  nothing: 'Nothing has happened yet.',
  allEvents: 'All events',
  byMonth: 'Credentials taken by month',
  month: 'Month',
  table: 'As a table',
  doors: 'Welcome',
  newcomer: 'Nobody owns this server yet.',
  becomeOwner: 'Become its owner',
  console: 'Console',
  consoleText: 'Issue and verify for your organisation.',
  cards: 'My cards',
  cardsText: 'Take a card, show it, and see where it went.',
}

/** Texts of the first pages. */
export type HomeTexts = typeof en

const fr: HomeTexts = {
  hello: (name: string) => `Bonjour, ${name}`,
  helloAll: 'Bonjour',
  issue: 'Délivrer une attestation',
  verify: 'Vérifier quelqu’un',
  figures: 'Chiffres',
  asOf: 'Chiffres du',
  valid: 'Attestations valables',
  endSoon: (count: string, n: number) => `${count} ${n === 1 ? 'expire' : 'expirent'} d’ici 30 jours`,
  offered: 'Offertes, pas encore prises',
  suspendedOrRevoked: 'Suspendues ou révoquées',
  suspended: (count: string) => `dont suspendues : ${count}`,
  verifiedToday: 'Vérifiées aujourd’hui',
  taken: 'Prises',
  needsYou: 'À traiter',
  things: (count, n) => `${count} ${n === 1 ? 'élément' : 'éléments'}`,
  nothingNeeded: 'Rien à traiter pour le moment.',
  needs: {
    deferredIssuances: {
      state: 'En attente',
      text: (count: string, n: number) =>
        n === 1 ? 'Une attestation attend une décision' : `${count} attestations attendent une décision`,
      action: 'Décider',
    },
    failedBatches: {
      state: 'Échec',
      text: (count: string, n: number) =>
        n === 1 ? 'Un tableau a des lignes non délivrées' : `${count} tableaux ont des lignes non délivrées`,
      action: 'Corriger',
    },
    endingCertificates: {
      state: 'Bientôt',
      text: (count: string, n: number) =>
        n === 1 ? 'Un certificat expire d’ici 30 jours' : `${count} certificats expirent d’ici 30 jours`,
      action: 'Renouveler',
    },
    disabledEndpoints: {
      state: 'Coupé',
      text: (count: string, n: number) =>
        n === 1 ? 'Un webhook a été coupé après des échecs' : `${count} webhooks ont été coupés après des échecs`,
      action: 'Examiner',
    },
    failedDeliveries: {
      state: 'Échec',
      text: (count: string, n: number) =>
        n === 1
          ? 'Une remise à un portefeuille a échoué ces 30 derniers jours'
          : `${count} remises à des portefeuilles ont échoué ces 30 derniers jours`,
      action: 'Examiner',
    },
    failedOfferMails: {
      state: 'Échec',
      text: (count: string, n: number) =>
        n === 1
          ? 'Une offre n’a pas pu être envoyée par courriel'
          : `${count} offres n’ont pas pu être envoyées par courriel`,
      action: 'Examiner',
    },
    unverifiableStatusLists: {
      state: 'Échec',
      text: (count: string, n: number) =>
        n === 1
          ? 'Une liste d’attestations révoquées n’est plus acceptée : son certificat a expiré'
          : `${count} listes d’attestations révoquées ne sont plus acceptées : leurs certificats ont expiré`,
      action: 'Renouveler',
    },
    endingSecrets: {
      state: 'Bientôt',
      text: (count: string, n: number) =>
        n === 1
          ? 'Un secret d’application expire d’ici 30 jours'
          : `${count} secrets d’applications expirent d’ici 30 jours`,
      action: 'Renouveler',
    },
  },
  allFigures: 'Tous les chiffres',
  figuresTitle: 'Chiffres',
  range: 'Période',
  lastMonths: 'Les 12 derniers mois',
  lastDays: 'Les 30 derniers jours',
  template: 'Modèle',
  issued: 'Attestations',
  verifications: 'Vérifications',
  noFigures: 'Rien ne s’est passé pendant cette période.',
  issuanceMetrics: {
    offered: 'Offertes',
    completed: 'Prises',
    expired: 'Expirées',
    failed: 'Échouées',
    revoked: 'Révoquées',
    suspended: 'Suspendues',
  },
  presentationMetrics: {
    requested: 'Demandées',
    verified: 'Vérifiées',
    rejected: 'Refusées',
    failed: 'Échouées',
    expired: 'Expirées',
  },
  byDay: 'Attestations prises par jour',
  day: 'Jour',
  searchTitle: 'Chercher',
  searchText: 'Écrivez ce que vous cherchez.',
  nothingFound: 'Rien sous ce nom.',
  searchHint:
    'On trouve les personnes par nom, nom d’utilisateur ou adresse électronique, les attestations par le début de leur référence, et tout par numéro.',
  kinds: { user: 'Personnes', issuance: 'Attestations', presentationRequest: 'Vérifications' },
  setUp: 'Préparer votre organisation',
  steps: {
    template: 'Créer un modèle',
    issued: 'Délivrer la première attestation',
    people: 'Inviter vos collègues',
    request: 'Dire ce que le guichet demande',
  },
  done: 'Fait',
  open: 'À faire',
  latest: 'Dernières activités',
  live: 'En direct',
  nothing: 'Il ne s’est encore rien passé.',
  allEvents: 'Tous les événements',
  byMonth: 'Attestations prises par mois',
  month: 'Mois',
  table: 'En tableau',
  doors: 'Bienvenue',
  newcomer: 'Personne ne possède encore ce serveur.',
  becomeOwner: 'En devenir propriétaire',
  console: 'Console',
  consoleText: 'Délivrer et vérifier pour votre organisation.',
  cards: 'Mes cartes',
  cardsText: 'Prendre une carte, la présenter, et voir où elle est allée.',
}

/** Texts of the first pages by language. */
export const homeTexts: Readonly<Record<Language, HomeTexts>> = { en, fr: spaced(fr) }
