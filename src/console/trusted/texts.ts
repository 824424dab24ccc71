import type { Language } from '../../contract/languages.ts'
import { spaced } from '../../pages/language.ts'

const en = {
  title: 'Trusted entities',
  counted: { one: 'entity', many: 'entities' },
  lead: 'Whom your organisation trusts: issuers whose credentials count, and verifiers that your people may show them to.',
  new: 'Add an entity',
  empty:
    'You trust nobody but yourself yet. Add a school, an authority or a partner, by what you have of them: a web address, a DID, or the certificate of their authority.',
  emptyFilter: 'Nothing has this name.',
  search: 'Name contains',
  name: 'Name',
  nameHint: 'As your people know them.',
  purposes: 'Trusted for',
  purpose: {
    issuer: 'Issuing credentials',
    verifier: 'Asking for credentials',
    status: 'Saying whether credentials are valid',
    attester: 'Vouching for wallets',
  } as Readonly<Record<string, string>>,
  known: 'Known by',
  counts: {
    issuers: (count: number) => (count === 1 ? '1 address' : `${count} addresses`),
    dids: (count: number) => (count === 1 ? '1 DID' : `${count} DIDs`),
    certificates: (count: number) => (count === 1 ? '1 certificate' : `${count} certificates`),
  },
  changed: 'Changed',
  issuers: 'Addresses of their issuers',
  issuersHint: 'One https address a line, as it stands in their credentials.',
  dids: 'DIDs',
  didsHint: 'One a line, for example did:web:college.example, and after a space what it is called',
  certificates: 'Certificates of their authority',
  certificatesHint: 'Paste PEM, one block after another. What these certificates signed is trusted.',
  signerUsages: 'Key usages of their signers',
  signerUsagesHint:
    'Only where their signers have unusual ones: one object identifier a line, or the word none for certificates ' +
    'without extended key usage.',
  validFrom: 'Valid from',
  validUntil: 'Valid until',
  subject: 'Subject',
  ended: 'Ended',
  pem: {
    stray: (line: number) =>
      `Line ${line}: this is not part of a certificate. It begins with -----BEGIN CERTIFICATE-----.`,
    unended: (line: number) =>
      `The certificate that begins in line ${line} has no end: -----END CERTIFICATE----- is missing.`,
    otherKind: (line: number) => `Line ${line}: this is not a certificate. Never paste a private key.`,
    at: (first: number, last: number, why: string) => `Lines ${first} to ${last}: ${why}`,
  },
  remove: 'Delete',
  removeTitle: 'Stop trusting this entity?',
  removeText: 'What it issued counts no more, at once. Requests that accept only this entity accept nobody.',
  changedTitle: 'This entity was changed in the meantime',
}

/** Texts of the screens of trusted entities. */
type TrustedTexts = typeof en

const fr: TrustedTexts = {
  title: 'Entités de confiance',
  counted: { one: 'entité', many: 'entités' },
  lead: 'Qui votre organisation croit : les émetteurs dont les attestations comptent, et les vérificateurs à qui vos personnes peuvent les montrer.',
  new: 'Ajouter une entité',
  empty:
    'Vous ne faites encore confiance qu’à vous. Ajoutez une école, une autorité ou un partenaire, par ce que vous en avez : une adresse web, un DID ou le certificat de son autorité.',
  emptyFilter: 'Rien ne porte ce nom.',
  search: 'Le nom contient',
  name: 'Nom',
  nameHint: 'Tel que vos personnes le connaissent.',
  purposes: 'De confiance pour',
  purpose: {
    issuer: 'Délivrer des attestations',
    verifier: 'Demander des attestations',
    status: 'Dire si des attestations sont valables',
    attester: 'Se porter garant de portefeuilles',
  },
  known: 'Connue par',
  counts: {
    issuers: (count: number) => (count === 1 ? '1 adresse' : `${count} adresses`),
    dids: (count: number) => (count === 1 ? '1 DID' : `${count} DID`),
    certificates: (count: number) => (count === 1 ? '1 certificat' : `${count} certificats`),
  },
  changed: 'Modifiée',
  issuers: 'Adresses de ses émetteurs',
  issuersHint: 'Une adresse https par ligne, telle qu’elle figure dans ses attestations.',
  dids: 'DID',
  didsHint: 'Un par ligne, par exemple did:web:college.example, et après une espace son nom',
  certificates: 'Certificats de son autorité',
  certificatesHint: 'Collez du PEM, un bloc après l’autre. Ce que ces certificats ont signé est de confiance.',
  signerUsages: 'Usages de clé de leurs signataires',
  signerUsagesHint:
    'Seulement si leurs signataires en ont d’inhabituels : un identifiant d’objet par ligne, ou le mot none pour ' +
    'des certificats sans usage de clé étendu.',
  validFrom: 'Valable dès le',
  validUntil: 'Valable jusqu’au',
  subject: 'Sujet',
  ended: 'Terminé',
  pem: {
    stray: (line: number) =>
      `Ligne ${line} : ceci ne fait pas partie d’un certificat. Il commence par -----BEGIN CERTIFICATE-----.`,
    unended: (line: number) =>
      `Le certificat qui commence à la ligne ${line} n’a pas de fin : -----END CERTIFICATE----- manque.`,
    otherKind: (line: number) => `Ligne ${line} : ceci n’est pas un certificat. Ne collez jamais une clé privée.`,
    at: (first: number, last: number, why: string) => `Lignes ${first} à ${last} : ${why}`,
  },
  remove: 'Supprimer',
  removeTitle: 'Ne plus faire confiance à cette entité ?',
  removeText:
    'Ce qu’elle a délivré ne compte plus, aussitôt. Les demandes qui n’acceptent qu’elle n’acceptent plus personne.',
  changedTitle: 'Cette entité a changé entre-temps',
}

/** Texts of the screens of trusted entities by language. */
export const trustedTexts: Readonly<Record<Language, TrustedTexts>> = { en, fr: spaced(fr) }
