import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

type Words = Readonly<Record<string, string>>

const en = {
  more: 'More settings',
  scheme: 'The link of an offer opens wallets by',
  attested: 'Only wallets whose keys are attested get it',
  attestedHint: 'A trusted entity for the attestation of keys must have attested them.',
  storage: 'Where the keys are kept; any way if none is chosen',
  authentication: 'How the holder is authenticated; any way if none is chosen',
  levels: {
    iso_18045_high: 'Resists high attack potential (iso_18045_high)',
    iso_18045_moderate: 'Resists moderate attack potential (iso_18045_moderate)',
    'iso_18045_enhanced-basic': 'Resists enhanced-basic attack potential (iso_18045_enhanced-basic)',
    iso_18045_basic: 'Resists basic attack potential (iso_18045_basic)',
  } as Words,
  source: 'Values when a person asks for the card',
  sourceHint: 'A person may sign in and take the card without an offer from you.',
  sources: {
    '': 'Only if you have prepared it for the person',
    webhook: 'A system of yours gives them (webhook)',
    provider: 'The sign-in of the person gives them (identity provider)',
  } as Words,
  endpoint: 'Webhook endpoint',
  endpointHint: 'It is asked while the person waits, and answers with the values.',
  endpointId: 'Its id.',
  provider: 'Identity provider',
  anyProvider: 'Any at which your people sign in',
  providerHint: 'Its name. Any at which your people sign in if you leave it empty.',
  claims: 'Claims of the provider',
  claimsHint:
    'One a line, attribute = claim: family_name = family_name, or /address/city = /address/locality. Each attribute that is always filled in has one.',
  cardName: 'Name in wallets',
  cardNameHint: 'Only if it is another than the name above.',
  cardAbout: 'Text about it in wallets',
  claimsWrong:
    'Write attribute = claim, one a line: attributes of this template, each once, and every one that is always filled in.',
}

/** Texts about which wallets get a card, where its values come from, and its name in wallets. */
export type FurtherTexts = typeof en

const fr: FurtherTexts = {
  more: 'Autres réglages',
  scheme: 'Le lien d’une offre ouvre les portefeuilles par',
  attested: 'Seuls les portefeuilles dont les clés sont attestées la reçoivent',
  attestedHint: 'Une entité de confiance pour l’attestation de clés doit les avoir attestées.',
  storage: 'Où sont gardées les clés ; peu importe si rien n’est choisi',
  authentication: 'Comment le titulaire est authentifié ; peu importe si rien n’est choisi',
  levels: {
    iso_18045_high: 'Résiste à un potentiel d’attaque élevé (iso_18045_high)',
    iso_18045_moderate: 'Résiste à un potentiel d’attaque modéré (iso_18045_moderate)',
    'iso_18045_enhanced-basic': 'Résiste à un potentiel d’attaque élémentaire renforcé (iso_18045_enhanced-basic)',
    iso_18045_basic: 'Résiste à un potentiel d’attaque élémentaire (iso_18045_basic)',
  },
  source: 'Valeurs quand une personne demande la carte',
  sourceHint: 'Une personne peut se connecter et prendre la carte sans offre de votre part.',
  sources: {
    '': 'Seulement si vous l’avez préparée pour la personne',
    webhook: 'Un de vos systèmes les donne (webhook)',
    provider: 'La connexion de la personne les donne (fournisseur d’identité)',
  },
  endpoint: 'Point de réception du webhook',
  endpointHint: 'Il est interrogé pendant que la personne attend, et répond par les valeurs.',
  endpointId: 'Son identifiant.',
  provider: 'Fournisseur d’identité',
  anyProvider: 'N’importe lequel où vos membres se connectent',
  providerHint: 'Son nom. N’importe lequel où vos membres se connectent si vous laissez vide.',
  claims: 'Données du fournisseur',
  claimsHint:
    'Une par ligne, attribut = donnée : family_name = family_name, ou /address/city = /address/locality. Chaque attribut toujours rempli en a une.',
  cardName: 'Nom dans les portefeuilles',
  cardNameHint: 'Seulement s’il diffère du nom ci-dessus.',
  cardAbout: 'Texte à son sujet dans les portefeuilles',
  claimsWrong:
    'Écrivez attribut = donnée, une par ligne : des attributs de ce modèle, chacun une fois, et tous ceux qui sont toujours remplis.',
}

/** See {@link FurtherTexts}, by language. */
export const furtherTexts: Readonly<Record<Language, FurtherTexts>> = { en, fr: spaced(fr) }
