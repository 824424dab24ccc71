import type { Language } from '../../pages/language.ts'

const en = {
  hello: (name: string) => `Hello, ${name}`,
  helloAll: 'Hello',
  issue: 'Issue a credential',
  verify: 'Verify someone',
  figures: 'Figures of the last 12 months',
  asOf: 'Figures as of',
  offered: 'Offered',
  taken: 'Taken',
  revoked: 'Revoked',
  verified: 'Verified',
  late: 'The figures are not available right now.',
  setUp: 'Set up your organisation',
  steps: {
    template: 'Make a template',
    issued: 'Issue the first credential',
    people: 'Invite your colleagues',
    request: 'Say what to ask for at the desk',
  },
  done: 'Done',
  open: 'To do',
  latest: 'As it happens',
  nothing: 'Nothing has happened yet.',
  allEvents: 'All events',
  byMonth: 'Credentials taken by month',
  month: 'Month',
  table: 'As a table',
  doors: 'Welcome',
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
  figures: 'Chiffres des 12 derniers mois',
  asOf: 'Chiffres du',
  offered: 'Offertes',
  taken: 'Prises',
  revoked: 'Révoquées',
  verified: 'Vérifiées',
  late: 'Les chiffres ne sont pas disponibles pour le moment.',
  setUp: 'Préparer votre organisation',
  steps: {
    template: 'Créer un modèle',
    issued: 'Délivrer la première attestation',
    people: 'Inviter vos collègues',
    request: 'Dire ce que le guichet demande',
  },
  done: 'Fait',
  open: 'À faire',
  latest: 'En direct',
  nothing: 'Il ne s’est encore rien passé.',
  allEvents: 'Tous les événements',
  byMonth: 'Attestations prises par mois',
  month: 'Mois',
  table: 'En tableau',
  doors: 'Bienvenue',
  console: 'Console',
  consoleText: 'Délivrer et vérifier pour votre organisation.',
  cards: 'Mes cartes',
  cardsText: 'Prendre une carte, la présenter, et voir où elle est allée.',
}

/** Texts of the first pages by language. */
export const homeTexts: Readonly<Record<Language, HomeTexts>> = { en, fr }
