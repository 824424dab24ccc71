import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  summary: { own: 'Why your organisation?', known: 'Why known?', unknown: 'What was looked for?' },
  own: 'It is your organisation itself',
  entity: 'Your organisation trusts',
  registered: 'Your organisation has registered',
  identifier: 'By its address',
  attester: 'Attested by',
  certificate: 'Certificate',
  root: 'Issued under',
  lookedFor: 'The list of those whom your organisation trusts has none of these:',
}

/** The texts of why an issuer or verifier is known. */
type TrustTexts = typeof en

const fr: TrustTexts = {
  summary: { own: 'Pourquoi votre organisation ?', known: 'Pourquoi connue ?', unknown: 'Qu’a-t-on cherché ?' },
  own: 'C’est votre organisation elle-même',
  entity: 'Votre organisation fait confiance à',
  registered: 'Votre organisation a enregistré',
  identifier: 'Par son adresse',
  attester: 'Attestée par',
  certificate: 'Certificat',
  root: 'Délivré sous',
  lookedFor: 'La liste des organisations de confiance de la vôtre ne contient rien de ceci :',
}

/** The texts by language. */
export const trustTexts: Readonly<Record<Language, TrustTexts>> = { en, fr: spaced(fr) }
