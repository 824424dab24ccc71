import { randomBytes } from '../random.ts'
import type { SigningKey } from '../signing-key.ts'
import type { Certificate } from './certificate.ts'
import {
  authorityKeyIdentifier,
  authorityOfLeafs,
  crlDistributionPoint,
  type Extension,
  extendedKeyUsage,
  type GeneralName,
  issuerAltName,
  keyUsage,
  subjectAltName,
  subjectKeyIdentifier,
} from './extension.ts'
import type { CertificateDraft } from './issue.ts'
import { keyIdentifierOf } from './key-identifier.ts'
import { encodeName, type SubjectName } from './name.ts'
import { oids } from './oids.ts'
import { type ProfileName, profiles } from './profile.ts'
import { spkiOf } from './signature.ts'

type Input = {
  readonly profile: ProfileName
  readonly subject: SubjectName
  readonly notBefore: Date
  readonly notAfter: Date
  /** Address of the revocation list of the signing root; null: its profile has none. */
  readonly crlUri: string | null
}
/** Input for a root. */
type RootInput = Input & {
  readonly key: Pick<SigningKey, 'alg' | 'publicJwk'>
  readonly issuerAltNameUri: string | null
}
/** Input for a certificate below a root. `spki`: the subject's public key in DER. */
type LeafInput = Input & {
  readonly spki: Buffer
  readonly subjectNames: readonly GeneralName[]
  readonly root: Certificate
  readonly rootAlg: SigningKey['alg']
}

const SERIAL_BYTES = 16

/** A self-signed root of profile `iaca`, `issuerRoot`, `readerRoot` or `attesterRoot`. Not linted. */
export function draftRoot(input: RootInput): CertificateDraft {
  const subject = encodeName(input.subject)
  const spki = spkiOf(input.key.publicJwk)
  const extensions = [
    subjectKeyIdentifier(keyIdentifierOf(spki)),
    keyUsage(...profiles[input.profile].keyUsage),
    authorityOfLeafs(),
    ...(input.issuerAltNameUri === null ? [] : [issuerAltName([{ kind: 'uri', value: input.issuerAltNameUri }])]),
    // [X5-1]
    ...revocationList(input),
  ]
  return { ...draftOf(input, input.key.alg), issuer: subject, subject, spki, extensions }
}

/**
 * A certificate that a root signs, of profile `documentSigner`, `mdlSigner`, `sdJwtSigner`, `readerAuth` or `attester`.
 * Not linted.
 */
export function draftLeaf(input: LeafInput): CertificateDraft {
  const { root, spki } = input
  const profile = profiles[input.profile]
  const rootKeyId = root.extensions.subjectKeyId
  if (rootKeyId === null) throw new Error('a root without a subject key identifier')
  const extensions = [
    authorityKeyIdentifier(rootKeyId),
    subjectKeyIdentifier(keyIdentifierOf(spki)),
    keyUsage(...profile.keyUsage),
    ...(profile.purposes.length === 0 ? [] : [extendedKeyUsage(...profile.purposes)]),
    subjectAltName(input.subjectNames),
    // ISO/IEC 18013-5 B.1.4: the same content as in the certificate of the authority, copied byte for byte
    ...(profile.issuerAltName === 'must' ? root.extensions.present.filter(isIssuerAltName) : []),
    ...revocationList(input),
  ]
  return {
    ...draftOf(input, input.rootAlg),
    issuer: root.subject.der,
    subject: encodeName(input.subject),
    spki,
    extensions,
  }
}

/** Returns the host of a URL as subject alternative name. */
export function subjectHost(url: string): GeneralName {
  const { hostname } = new URL(url)
  // A parsed URL has IP addresses in one form only: four numbers, or in brackets.
  const isAddress = hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname)
  return { kind: isAddress ? 'ip' : 'dns', value: hostname.replace(/^\[|\]$/g, '') }
}

function revocationList({ crlUri }: Input): Extension[] {
  return crlUri === null ? [] : [crlDistributionPoint(crlUri)]
}

function draftOf({ notBefore, notAfter }: Input, alg: SigningKey['alg']) {
  return { serial: newSerial(), alg, notBefore, notAfter }
}

/** 126 random bits, always 16 octets: positive, and below the 20 octets of RFC 5280 4.1.2.2. */
function newSerial(): Buffer {
  const serial = randomBytes(SERIAL_BYTES)
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  return serial
}

function isIssuerAltName({ oid }: Extension): boolean {
  return oid === oids.issuerAltName
}
