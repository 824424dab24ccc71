import type { KeyUsage } from './extension.ts'
import { oids } from './oids.ts'

/**
 * Profiles of our certificates, each a column of the table of ISO/IEC 18013-5 Annex B or a variation of one: `iaca`
 * signs document signers (B.1.2); `issuerRoot` is the same on Ed25519, for SD-JWT VC only; `readerRoot` signs readers;
 * `documentSigner` signs mdocs (B.1.4) and SD-JWT VCs, `mdlSigner` too, with the usage of driving licences alone;
 * `sdJwtSigner` only SD-JWT VCs [X5-6]; `readerAuth` signs requests (B.1.5) [X5-7]; `attesterRoot` signs attesters,
 * whose certificate `attester` signs attestations of wallets and their keys: HAIP leaves their profiles open.
 */
export type ProfileName =
  | 'iaca'
  | 'issuerRoot'
  | 'readerRoot'
  | 'attesterRoot'
  | 'documentSigner'
  | 'mdlSigner'
  | 'sdJwtSigner'
  | 'readerAuth'
  | 'attester'

/** The rules of a profile. `must`, `may`, `never`: whether an extension is present. */
export type Profile = {
  readonly isRoot: boolean
  readonly validityDaysMax: number
  /** Whether the key may be Ed25519; P-256 always may. */
  readonly ed25519: boolean
  /** All of them and no others; critical. */
  readonly keyUsage: readonly KeyUsage[]
  /** Purposes, all of them; critical. Empty: no extension. */
  readonly purposes: readonly string[]
  readonly authorityKeyIdentifier: 'must' | 'never'
  readonly issuerAltName: 'must' | 'may'
  readonly subjectAltName: 'must' | 'never'
  /** The country of the subject. */
  readonly country: 'must' | 'never'
  /** The address of a revocation list. */
  readonly crl: 'must' | 'never'
}

const DAYS_A_YEAR = 365.25
const root = {
  isRoot: true,
  keyUsage: ['keyCertSign', 'cRLSign'],
  purposes: [],
  authorityKeyIdentifier: 'never',
  issuerAltName: 'must',
  subjectAltName: 'never',
  country: 'must',
  crl: 'must',
} as const
const leaf = {
  isRoot: false,
  ed25519: true,
  keyUsage: ['digitalSignature'],
  authorityKeyIdentifier: 'must',
  subjectAltName: 'must',
  country: 'must',
  crl: 'must',
} as const
/** A deployment has no country, and its attesters are replaced instead of revoked. */
const attesters = { country: 'never', crl: 'never', issuerAltName: 'may', ed25519: false } as const

/** The extensions that a profile may have. */
export const profileExtensions = [
  oids.subjectKeyId,
  oids.keyUsage,
  oids.subjectAltName,
  oids.issuerAltName,
  oids.basicConstraints,
  oids.crlDistributionPoints,
  oids.authorityKeyId,
  oids.extendedKeyUsage,
] as const

/** ISO/IEC 18013-5 Annex B; 457 days are 15 months, 1187 days 39. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  iaca: { ...root, validityDaysMax: Math.floor(20 * DAYS_A_YEAR), ed25519: false },
  issuerRoot: { ...root, validityDaysMax: Math.floor(20 * DAYS_A_YEAR), ed25519: true },
  readerRoot: { ...root, validityDaysMax: Math.floor(10 * DAYS_A_YEAR), ed25519: true, issuerAltName: 'may' },
  attesterRoot: { ...root, ...attesters, validityDaysMax: Math.floor(20 * DAYS_A_YEAR) },
  documentSigner: {
    ...leaf,
    validityDaysMax: 457,
    purposes: [oids.mdlDocumentSigner, oids.mdocDocumentSigner],
    issuerAltName: 'must',
  },
  mdlSigner: { ...leaf, validityDaysMax: 457, purposes: [oids.mdlDocumentSigner], issuerAltName: 'must' },
  sdJwtSigner: { ...leaf, validityDaysMax: 457, purposes: [], issuerAltName: 'must' },
  readerAuth: {
    ...leaf,
    validityDaysMax: 1187,
    purposes: [oids.mdlReaderAuth, oids.mdocReaderAuth],
    issuerAltName: 'may',
  },
  attester: { ...leaf, ...attesters, validityDaysMax: 457, purposes: [] },
}
