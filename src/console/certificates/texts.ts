import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: 'Certificates',
  counted: { one: 'certificate', many: 'certificates' },
  lead: 'Certificates prove who signs. Each of your roots stands above the certificates that it signed.',
  empty:
    'You sign with did:web, the address of this server. That is enough for most wallets and verifiers. You need a certificate when:',
  reasons: [
    'you issue cards in the mdoc format, such as mobile driving licences',
    'a wallet or verifier asks for the high assurance profile (HAIP)',
    'partners want to trust an authority instead of a web address',
  ],
  new: 'Make a root of your own',
  name: 'Name',
  use: 'Used to',
  types: {
    issuerRoot: 'Root: stands above signers of credentials',
    verifierRoot: 'Root: stands above signers of requests',
    issuerSignCredential: 'Sign credentials',
    verifierSignRequest: 'Sign requests',
  },
  state: 'State',
  states: {
    pendingActivation: 'Waits to be activated',
    active: 'In use',
    inactive: 'Not in use',
    expired: 'Expired',
    revoked: 'Revoked',
  },
  ends: 'Ends',
  endsSoon: 'Ends soon',
  renewed: 'renewed by itself',
  openRequests: (count: number) =>
    count === 1
      ? '1 signing request waits for its certificate'
      : `${count} signing requests wait for their certificates`,
  keyType: 'Key',
  keyTypes: { 'P-256': 'P-256: for every wallet, and for driving licences', Ed25519: 'Ed25519: fewer wallets know it' },
  countryName: 'Country',
  countryNameHint: 'Two letters, for example ZA.',
  commonName: 'Name in the certificate',
  commonNameHint: 'Made of the name of your organisation, if you leave it empty.',
  issuerAlternativeNameUrl: 'Web address of your organisation',
  type: 'What it is for',
  rootUses: { issuerRoot: 'Issuing credentials', verifierRoot: 'Asking for credentials' },
  typeHint:
    'The server keeps its key. The first root of its kind is in use at once, and signs a leaf that signs for you.',
  issuer: 'Signed by',
  itself: 'Itself',
  serial: 'Serial number',
  fingerprint: 'Fingerprint (SHA-256)',
  identifier: 'Key identifier',
  validFrom: 'Valid from',
  validUntil: 'Valid until',
  mdl: 'Mobile driving licences',
  mdlYes: 'May sign them',
  mdlNo: 'May not sign them',
  origin: 'Origin',
  origins: {
    root: 'Made here',
    automatic: 'Made and renewed by the server',
    request: 'For a signing request of yours',
    foreign: 'Signed here for a key elsewhere',
  },
  pem: 'The certificate',
  activate: 'Activate',
  activateTitle: 'Activate this certificate?',
  activateText: 'It signs from now on. The one of its kind that signs now is deactivated; what it signed stays valid.',
  deactivate: 'Deactivate',
  deactivateTitle: 'Deactivate this certificate?',
  deactivateText: 'Nothing is signed with it until it is activated again. What it signed stays valid.',
  revoke: 'Revoke',
  revokeTitle: 'Revoke this certificate for ever?',
  revokeText:
    'It and everything below it is in the revocation list at once. Credentials that it signed count no more. This cannot be undone.',
  sign: 'Sign a request',
  signTitle: 'Sign a request with this root',
  signText: 'Choose one of your own requests, or paste one for a key that is kept elsewhere.',
  ownRequest: 'Your request',
  noOwn: 'None of yours',
  foreignRequest: 'Another request',
  foreignRequestHint: 'PEM: -----BEGIN CERTIFICATE REQUEST-----',
  oneOfBoth: 'Choose one of your requests or paste another one, not both.',
}

/** Texts of the screens of certificates. */
export type CertificateTexts = typeof en

const fr: CertificateTexts = {
  title: 'Certificats',
  counted: { one: 'certificat', many: 'certificats' },
  lead: 'Les certificats prouvent qui signe. Chacune de vos racines figure au-dessus des certificats qu’elle a signés.',
  empty:
    'Vous signez avec did:web, l’adresse de ce serveur. Cela suffit à la plupart des portefeuilles et vérificateurs. Il vous faut un certificat quand :',
  reasons: [
    'vous délivrez des cartes au format mdoc, comme des permis de conduire mobiles',
    'un portefeuille ou un vérificateur demande le profil de haute assurance (HAIP)',
    'des partenaires veulent faire confiance à une autorité plutôt qu’à une adresse web',
  ],
  new: 'Créer votre propre racine',
  name: 'Nom',
  use: 'Sert à',
  types: {
    issuerRoot: 'Racine : au-dessus des signataires d’attestations',
    verifierRoot: 'Racine : au-dessus des signataires de demandes',
    issuerSignCredential: 'Signer des attestations',
    verifierSignRequest: 'Signer des demandes',
  },
  state: 'État',
  states: {
    pendingActivation: 'Attend sa mise en service',
    active: 'En service',
    inactive: 'Hors service',
    expired: 'Expiré',
    revoked: 'Révoqué',
  },
  ends: 'Fin',
  endsSoon: 'Finit bientôt',
  renewed: 'se renouvelle seul',
  openRequests: (count: number) =>
    count === 1
      ? '1 demande de signature attend son certificat'
      : `${count} demandes de signature attendent leurs certificats`,
  keyType: 'Clé',
  keyTypes: {
    'P-256': 'P-256 : pour tous les portefeuilles et les permis de conduire',
    Ed25519: 'Ed25519 : moins de portefeuilles la connaissent',
  },
  countryName: 'Pays',
  countryNameHint: 'Deux lettres, par exemple ZA.',
  commonName: 'Nom dans le certificat',
  commonNameHint: 'Formé du nom de votre organisation, si vous le laissez vide.',
  issuerAlternativeNameUrl: 'Adresse web de votre organisation',
  type: 'À quoi elle sert',
  rootUses: { issuerRoot: 'Délivrer des attestations', verifierRoot: 'Demander des attestations' },
  typeHint:
    'Le serveur garde sa clé. La première racine de sa sorte est aussitôt en service et signe une feuille qui signe pour vous.',
  issuer: 'Signé par',
  itself: 'Lui-même',
  serial: 'Numéro de série',
  fingerprint: 'Empreinte (SHA-256)',
  identifier: 'Identifiant de la clé',
  validFrom: 'Valable dès le',
  validUntil: 'Valable jusqu’au',
  mdl: 'Permis de conduire mobiles',
  mdlYes: 'Peut les signer',
  mdlNo: 'Ne peut pas les signer',
  origin: 'Origine',
  origins: {
    root: 'Créé ici',
    automatic: 'Créé et renouvelé par le serveur',
    request: 'Pour une demande de signature à vous',
    foreign: 'Signé ici pour une clé d’ailleurs',
  },
  pem: 'Le certificat',
  activate: 'Mettre en service',
  activateTitle: 'Mettre ce certificat en service ?',
  activateText:
    'Il signe dès maintenant. Celui de sa sorte qui signe est mis de côté ; ce qu’il a signé reste valable.',
  deactivate: 'Mettre de côté',
  deactivateTitle: 'Mettre ce certificat de côté ?',
  deactivateText: 'Rien n’est signé avec lui avant sa remise en service. Ce qu’il a signé reste valable.',
  revoke: 'Révoquer',
  revokeTitle: 'Révoquer ce certificat pour toujours ?',
  revokeText:
    'Lui et tout ce qui est en dessous figure aussitôt dans la liste de révocation. Les attestations qu’il a signées ne comptent plus. C’est définitif.',
  sign: 'Signer une demande',
  signTitle: 'Signer une demande avec cette racine',
  signText: 'Choisissez une de vos demandes, ou collez-en une pour une clé gardée ailleurs.',
  ownRequest: 'Votre demande',
  noOwn: 'Aucune des vôtres',
  foreignRequest: 'Une autre demande',
  foreignRequestHint: 'PEM : -----BEGIN CERTIFICATE REQUEST-----',
  oneOfBoth: 'Choisissez une de vos demandes ou collez-en une autre, pas les deux.',
}

/** Texts of the screens of certificates by language. */
export const certificateTexts: Readonly<Record<Language, CertificateTexts>> = { en, fr: spaced(fr) }
