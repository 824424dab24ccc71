import type { Certificate } from './certificate.ts'
import { isCountryCode } from './country-codes.ts'
import { extensionValue, isCritical, keyUsage } from './extension.ts'
import { keyIdentifierOf } from './key-identifier.ts'
import { COMMON_NAME_CHARS_MAX, encodeName } from './name.ts'
import { oids } from './oids.ts'
import { type Profile, type ProfileName, profileExtensions, profiles } from './profile.ts'

/** One violation of a profile. `rule` is stable. */
type Lint = { readonly rule: string; readonly text: string }

/** `root`: the signing certificate; for a root, the root itself. */
type Subject = { readonly it: Certificate; readonly root: Certificate; readonly profile: Profile }
type Check = readonly [rule: string, text: string, holds: (subject: Subject) => boolean]

const DAY_MS = 86_400_000
const SERIAL_BYTES_MAX = 20
/** The fewest for 71 random bits and the sign. */
const SERIAL_BYTES_MIN = 9
const UNCOMPRESSED_P256_BYTES = 65

const checks: readonly Check[] = [
  ['version', 'It is not of version 3.', ({ it }) => it.version === 3],
  ['serial', 'Its serial number is not a positive number of 9 to 20 octets.', ({ it }) => isSerial(it.serial)],
  ['subject.country', 'The country of its subject is not assigned by ISO 3166-1.', (s) => hasCountry(s)],
  ['subject.form', 'Its subject is not a country and a common name in their string types.', ({ it }) => isPlain(it)],
  [
    'subject.country_of_root',
    'Its country is not that of its root.',
    (s) => s.it.subject.country === s.root.subject.country,
  ],
  // ST: mandatory and equal if the root has it; ours have none
  [
    'subject.state',
    'Its state or province is not that of its root.',
    (s) => s.it.subject.state === s.root.subject.state,
  ],
  [
    'issuer',
    'Its issuer is not, byte for byte, the subject of its root.',
    (s) => s.it.issuer.der.equals(s.root.subject.der),
  ],
  [
    'validity.length',
    'It is valid for longer than its profile allows.',
    (s) => lengthDays(s.it) <= s.profile.validityDaysMax,
  ],
  ['validity.order', 'It ends before it begins.', ({ it }) => it.notBefore < it.notAfter],
  ['validity.root', 'It is valid while its root is not.', (s) => isWithin(s.it, s.root)],
  ['key', 'Its profile does not allow this kind of key.', (s) => isKeyAllowed(s)],
  ['algorithm', 'Its signature algorithm does not match the key of its root.', (s) => isAlgorithmOf(s)],
  ['subject_key_identifier', 'Its subject key identifier is not the SHA-1 of its key.', ({ it }) => hasOwnKeyId(it)],
  ['authority_key_identifier', 'Its authority key identifier is not that of its root.', (s) => hasRootKeyId(s)],
  ['key_usage', 'Its key usage is not that of its profile, or not critical.', (s) => hasKeyUsage(s)],
  [
    'basic_constraints',
    'Its basic constraints are not those of its profile, or not critical.',
    (s) => hasBasicConstraints(s),
  ],
  ['issuer_alt_name', 'Its issuer alternative name is not that of its profile.', (s) => hasIssuerAltName(s)],
  ['extended_key_usage', 'Its extended key usage is not that of its profile, or not critical.', (s) => hasPurposes(s)],
  ['crl', 'It does not have the one address of a revocation list that its profile has.', (s) => hasCrl(s)],
  ['subject_alt_name', 'Its subject alternative name is not that of its profile.', (s) => hasSubjectAltName(s)],
  ['extensions', 'It has an extension that is not in its profile.', ({ it }) => hasNoOthers(it)],
]

/**
 * Checks a certificate against its profile before it is signed. NOT checked: the signature.
 *
 * @param root The signing certificate; null for a self-signed one.
 * @see ISO/IEC 18013-5, Annex B.1
 */
export function lintCertificate(it: Certificate, name: ProfileName, root: Certificate | null): Lint[] {
  const subject = { it, root: root ?? it, profile: profiles[name] }
  return checks.filter(([, , holds]) => !holds(subject)).map(([rule, text]) => ({ rule, text }))
}

/** Returns the maximum validity of a profile, in days, if an imported certificate exceeds it, otherwise null. */
export function exceededDays(it: Certificate, name: ProfileName): number | null {
  const { validityDaysMax } = profiles[name]
  return lengthDays(it) > validityDaysMax ? validityDaysMax : null
}

function isSerial(hex: string): boolean {
  const bytes = hex.length / 2
  return bytes >= SERIAL_BYTES_MIN && bytes <= SERIAL_BYTES_MAX && Number.parseInt(hex.slice(0, 2), 16) < 0x80
}

function hasCountry({ it: { subject }, profile }: Subject): boolean {
  if (profile.country === 'never') return subject.country === null
  return subject.country !== null && isCountryCode(subject.country)
}

function isPlain({ subject }: Certificate): boolean {
  const { commonName } = subject
  if (commonName === null || commonName === '' || [...commonName].length > COMMON_NAME_CHARS_MAX) return false
  return subject.der.equals(encodeName({ country: subject.country, commonName }))
}

/** RFC 5280 4.1.2.5: from the first second to the last, both included. */
function lengthDays({ notBefore, notAfter }: Certificate): number {
  return (notAfter.getTime() - notBefore.getTime() + 1000) / DAY_MS
}

function isWithin(it: Certificate, root: Certificate): boolean {
  return it.notBefore >= root.notBefore && it.notAfter <= root.notAfter
}

function isKeyAllowed({ it, profile }: Subject): boolean {
  if (it.publicKey?.asymmetricKeyType === 'ed25519') return profile.ed25519
  const isP256 = it.publicKey?.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  return isP256 && it.keyBits.length === UNCOMPRESSED_P256_BYTES && it.keyBits[0] === 4
}

function isAlgorithmOf({ it, root }: Subject): boolean {
  return it.algorithm === (root.publicKey?.asymmetricKeyType === 'ed25519' ? oids.ed25519 : oids.ecdsaWithSha256)
}

function hasOwnKeyId({ extensions, spki }: Certificate): boolean {
  return extensions.subjectKeyId?.equals(keyIdentifierOf(spki)) === true && !isCritical(extensions, oids.subjectKeyId)
}

function hasRootKeyId({ it, root, profile }: Subject): boolean {
  const { authorityKeyId } = it.extensions
  if (profile.authorityKeyIdentifier === 'never') return authorityKeyId === null
  const rootKeyId = root.extensions.subjectKeyId
  return (
    rootKeyId !== null && authorityKeyId?.equals(rootKeyId) === true && !isCritical(it.extensions, oids.authorityKeyId)
  )
}

function hasKeyUsage({ it, profile }: Subject): boolean {
  const found = extensionValue(it.extensions, oids.keyUsage)
  return isCritical(it.extensions, oids.keyUsage) && found?.equals(keyUsage(...profile.keyUsage).value) === true
}

function hasBasicConstraints({ it, profile }: Subject): boolean {
  const { basicConstraints } = it.extensions
  if (!profile.isRoot) return basicConstraints === null
  const isAuthority = basicConstraints?.isCa === true && basicConstraints.pathLength === 0
  return isAuthority && isCritical(it.extensions, oids.basicConstraints)
}

function hasIssuerAltName({ it, root, profile }: Subject): boolean {
  const own = extensionValue(it.extensions, oids.issuerAltName)
  if (own === null) return profile.issuerAltName === 'may'
  const { uris, emails } = it.extensions.issuerAltName
  const isNamed = uris.length + emails.length > 0 && !isCritical(it.extensions, oids.issuerAltName)
  return (
    isNamed && (profile.isRoot || own.equals(extensionValue(root.extensions, oids.issuerAltName) ?? Buffer.alloc(0)))
  )
}

function hasPurposes({ it, profile }: Subject): boolean {
  const found = it.extensions.extendedKeyUsage
  if (profile.purposes.length === 0) return found === null
  return isCritical(it.extensions, oids.extendedKeyUsage) && found?.join() === profile.purposes.join()
}

function hasCrl({ it: { extensions }, profile }: Subject): boolean {
  if (profile.crl === 'never') return extensionValue(extensions, oids.crlDistributionPoints) === null
  return extensions.crlUrls.length === 1 && !isCritical(extensions, oids.crlDistributionPoints)
}

function hasSubjectAltName({ it, profile }: Subject): boolean {
  const isThere = extensionValue(it.extensions, oids.subjectAltName) !== null
  return isThere === (profile.subjectAltName === 'must') && !isCritical(it.extensions, oids.subjectAltName)
}

const allowed: ReadonlySet<string> = new Set(profileExtensions)

/**
 * Excludes also those that are forbidden everywhere: policy mappings and constraints, name constraints,
 * inhibitAnyPolicy, freshestCRL.
 */
function hasNoOthers({ extensions }: Certificate): boolean {
  return extensions.present.every(({ oid }) => allowed.has(oid))
}
