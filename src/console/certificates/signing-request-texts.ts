import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'
import { type CertificateTexts, certificateTexts } from './texts.ts'

/** What is said of certificates and of requests for them in the same words. */
function inCommon(t: CertificateTexts) {
  const { state, types, keyType, keyTypes, countryName, countryNameHint, commonName, commonNameHint, identifier } = t
  return { state, types, keyType, keyTypes, countryName, countryNameHint, commonName, commonNameHint, identifier }
}

const en = {
  ...inCommon(certificateTexts.en),
  title: 'Signing requests',
  counted: { one: 'signing request', many: 'signing requests' },
  new: 'Ask another authority',
  empty: 'You have not asked another authority for a certificate.',
  type: 'What it will sign',
  typeHint:
    'The server makes a key and a request for it. Send the request to the authority; it answers with a certificate, which you import here.',
  'capabilities-signMdl': 'It will sign mobile driving licences',
  states: { open: 'Waits for its certificate', completed: 'Has its certificate', expired: 'Too late' },
  pem: 'The request',
  until: 'Import until',
  done: 'Its certificate',
  made: 'Made',
  import: 'Import the certificate',
  importText: 'Paste what the authority sent. Certificates above it may follow in the same text.',
  certificate: 'Certificate',
  certificateHint: 'PEM: -----BEGIN CERTIFICATE-----',
  checks: 'What was checked',
  checkStates: { passed: 'Passed', failed: 'Failed', open: 'Not reached' },
  checkNames: {
    form: 'It is a certificate',
    key: 'It is for the key of this request',
    country: 'It names the country of the request',
    usage: 'It allows this use, and no other',
    time: 'It is valid now',
    length: 'It is not valid for too long',
    chain: 'It hangs together with the certificates above it',
  },
}

/** Texts of the screens of signing requests. */
export type SigningRequestTexts = typeof en

const fr: SigningRequestTexts = {
  ...inCommon(certificateTexts.fr),
  title: 'Demandes de signature',
  counted: { one: 'demande de signature', many: 'demandes de signature' },
  new: 'Demander à une autre autorité',
  empty: 'Vous n’avez pas demandé de certificat à une autre autorité.',
  type: 'Ce qu’il signera',
  typeHint:
    'Le serveur crée une clé et une demande. Envoyez la demande à l’autorité ; elle répond par un certificat, que vous importez ici.',
  'capabilities-signMdl': 'Il signera des permis de conduire mobiles',
  states: { open: 'Attend son certificat', completed: 'A son certificat', expired: 'Trop tard' },
  pem: 'La demande',
  until: 'Importer jusqu’au',
  done: 'Son certificat',
  made: 'Créée',
  import: 'Importer le certificat',
  importText: 'Collez ce que l’autorité a envoyé. Les certificats au-dessus peuvent suivre dans le même texte.',
  certificate: 'Certificat',
  certificateHint: 'PEM : -----BEGIN CERTIFICATE-----',
  checks: 'Ce qui a été contrôlé',
  checkStates: { passed: 'Réussi', failed: 'Échoué', open: 'Pas atteint' },
  checkNames: {
    form: 'C’est un certificat',
    key: 'Il est pour la clé de cette demande',
    country: 'Il nomme le pays de la demande',
    usage: 'Il permet cet usage, et aucun autre',
    time: 'Il est valable maintenant',
    length: 'Il n’est pas valable trop longtemps',
    chain: 'Il tient aux certificats au-dessus de lui',
  },
}

/** Texts of the screens of signing requests by language. */
export const signingRequestTexts: Readonly<Record<Language, SigningRequestTexts>> = { en, fr: spaced(fr) }
