import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { type SigningKey, softwareKey } from '../signing-key.ts'
import { draftLeaf, draftRoot } from './draft-certificate.ts'
import * as ext from './extension.ts'
import { type CertificateDraft, issueCertificate } from './issue.ts'
import { encodeName } from './name.ts'
import { oids } from './oids.ts'
import type { ProfileName } from './profile.ts'
import { spkiOf } from './signature.ts'

const start = new Date('2026-05-01T12:00:00.000Z')
const later = (days: number) => new Date(start.getTime() + days * 86_400_000)
const crlUri = 'https://issuer.example/issuers/acme/crls/1.crl'
const key = softwareKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
const edKey = softwareKey(generateKeyPairSync('ed25519').privateKey)

function rootDraft(by: SigningKey = key, profile: ProfileName = 'iaca'): CertificateDraft {
  const subject = { country: 'ZA', commonName: 'Acme IACA' }
  const about = { notBefore: start, notAfter: later(1825), issuerAltNameUri: 'https://acme.example' }
  return draftRoot({ profile, key: by, crlUri, subject, ...about })
}
const root = await issueCertificate(rootDraft(), 'iaca', null, key)

function leafDraft(profile: ProfileName = 'documentSigner'): CertificateDraft {
  return draftLeaf({
    profile,
    root,
    crlUri,
    notBefore: start,
    notAfter: later(456),
    rootAlg: key.alg,
    subject: { country: 'ZA', commonName: 'Acme' },
    spki: spkiOf(edKey.publicJwk),
    subjectNames: [{ kind: 'uri', value: 'https://issuer.example/issuers/acme' }],
  })
}

type Change = (draft: CertificateDraft) => Partial<CertificateDraft>
const without = (oid: string) => (draft: CertificateDraft) => draft.extensions.filter((one) => one.oid !== oid)
const instead =
  (...others: ext.Extension[]): Change =>
  (draft) => ({
    extensions: [...draft.extensions.filter((one) => !others.some(({ oid }) => oid === one.oid)), ...others],
  })
const uncritical =
  (oid: string): Change =>
  (draft) => ({
    extensions: draft.extensions.map((one) => (one.oid === oid ? { ...one, isCritical: !one.isCritical } : one)),
  })

const odd = { isCritical: false, value: Buffer.from('3000', 'hex') }
const either: readonly (readonly [what: string, rule: string, change: Change])[] = [
  ['a serial number of 63 bits', 'serial', () => ({ serial: Buffer.alloc(8, 0x41) })],
  ['a serial number of 21 octets', 'serial', () => ({ serial: Buffer.alloc(21, 0x41) })],
  ['a serial number of 0', 'serial', () => ({ serial: Buffer.alloc(1) })],
  [
    'a country that is not assigned',
    'subject.country',
    () => ({ subject: encodeName({ country: 'EU', commonName: 'x' }) }),
  ],
  ['a country in lower case', 'subject.country', () => ({ subject: encodeName({ country: 'za', commonName: 'x' }) })],
  ['an empty common name', 'subject.form', () => ({ subject: encodeName({ country: 'ZA', commonName: '' }) })],
  [
    'a common name of 65 characters',
    'subject.form',
    () => ({ subject: encodeName({ country: 'ZA', commonName: 'x'.repeat(65) }) }),
  ],
  ['another issuer', 'issuer', () => ({ issuer: encodeName({ country: 'ZA', commonName: 'Other' }) })],
  ['an end before its start', 'validity.order', () => ({ notAfter: start })],
  ['no subject key identifier', 'subject_key_identifier', (d) => ({ extensions: without(oids.subjectKeyId)(d) })],
  ['the key identifier of another key', 'subject_key_identifier', instead(ext.subjectKeyIdentifier(Buffer.alloc(20)))],
  ['an uncritical key usage', 'key_usage', uncritical(oids.keyUsage)],
  ['a key usage more', 'key_usage', instead(ext.keyUsage('digitalSignature', 'keyCertSign', 'cRLSign'))],
  ['no list of revoked certificates', 'crl', (d) => ({ extensions: without(oids.crlDistributionPoints)(d) })],
  ['a critical list of revoked certificates', 'crl', uncritical(oids.crlDistributionPoints)],
  ['no name for the issuer', 'issuer_alt_name', (d) => ({ extensions: without(oids.issuerAltName)(d) })],
  ['a critical name for the issuer', 'issuer_alt_name', uncritical(oids.issuerAltName)],
  ['policy mappings', 'extensions', instead({ oid: '2.5.29.33', ...odd })],
  ['policy constraints', 'extensions', instead({ oid: '2.5.29.36', ...odd })],
  ['a freshest CRL', 'extensions', instead({ oid: '2.5.29.46', ...odd })],
  ['an inhibited anyPolicy', 'extensions', instead({ oid: '2.5.29.54', ...odd })],
  ['name constraints', 'extensions', instead({ oid: '2.5.29.30', ...odd })],
]
const onlyRoot: typeof either = [
  ['more than 20 years', 'validity.length', () => ({ notAfter: later(7306) })],
  ['an Ed25519 key', 'key', () => rootDraft(edKey, 'issuerRoot')],
  [
    'no path length',
    'basic_constraints',
    instead({ ...ext.authorityOfLeafs(), value: Buffer.from('30030101ff', 'hex') }),
  ],
  ['uncritical basic constraints', 'basic_constraints', uncritical(oids.basicConstraints)],
  ['an extended key usage', 'extended_key_usage', instead(ext.extendedKeyUsage(oids.mdlDocumentSigner))],
  ['a name of the subject', 'subject_alt_name', instead(ext.subjectAltName([{ kind: 'dns', value: 'a.example' }]))],
]
const onlyLeaf: typeof either = [
  ['458 days', 'validity.length', () => ({ notAfter: later(458) })],
  ['exactly 457 days and a second', 'validity.length', () => ({ notAfter: later(457) })],
  ['a start before its root', 'validity.root', () => ({ notBefore: new Date(start.getTime() - 1000) })],
  ['an end after its root', 'validity.root', () => ({ notBefore: later(1700), notAfter: later(1826) })],
  ['another country', 'subject.country_of_root', () => ({ subject: encodeName({ country: 'NA', commonName: 'x' }) })],
  [
    'no key identifier of its root',
    'authority_key_identifier',
    (d) => ({ extensions: without(oids.authorityKeyId)(d) }),
  ],
  ['that of another root', 'authority_key_identifier', instead(ext.authorityKeyIdentifier(Buffer.alloc(20)))],
  ['basic constraints', 'basic_constraints', instead(ext.authorityOfLeafs())],
  ['no extended key usage', 'extended_key_usage', (d) => ({ extensions: without(oids.extendedKeyUsage)(d) })],
  ['an uncritical extended key usage', 'extended_key_usage', uncritical(oids.extendedKeyUsage)],
  ['that of a reader', 'extended_key_usage', instead(ext.extendedKeyUsage(oids.mdlReaderAuth))],
  [
    'another name for the issuer',
    'issuer_alt_name',
    instead(ext.issuerAltName([{ kind: 'uri', value: 'https://b.example' }])),
  ],
  ['no name of the subject', 'subject_alt_name', (d) => ({ extensions: without(oids.subjectAltName)(d) })],
]

for (const [profile, rows] of [
  ['iaca', [...either, ...onlyRoot]],
  ['documentSigner', [...either, ...onlyLeaf]],
] as const) {
  for (const [what, rule, change] of rows) {
    test(`a draft of the profile ${profile} with ${what} is not signed (ISO/IEC 18013-5, Annex B)`, async () => {
      let signatures = 0
      const counting = {
        ...key,
        sign: async (bytes: Uint8Array) => (await key.sign(bytes)) && Buffer.alloc(64, ++signatures),
      }
      const isRoot = profile === 'iaca'
      const draft = { ...(isRoot ? rootDraft() : leafDraft()), ...change(isRoot ? rootDraft() : leafDraft()) }
      await assert.rejects(
        () => issueCertificate({ ...draft, alg: key.alg }, profile, isRoot ? null : root, counting),
        (error: { code?: string; meta?: { rule?: string } }) =>
          error.code === 'certificate.refused' && error.meta?.rule === rule,
      )
      assert.equal(signatures, 0)
    })
  }
}

test('an Ed25519 key may stand below a P-256 root, and a draft is fine as it is made', async () => {
  assert.equal(
    (await issueCertificate(leafDraft(), 'documentSigner', root, key)).publicKey?.asymmetricKeyType,
    'ed25519',
  )
  assert.equal(
    (await issueCertificate(leafDraft('sdJwtSigner'), 'sdJwtSigner', root, key)).extensions.extendedKeyUsage,
    null,
  )
})

for (const [rule, change] of [
  ['crl', { crlUri }],
  ['subject.country', { subject: { country: 'ZA', commonName: 'x' } }],
  ['issuer_alt_name', {}],
] as const) {
  test(`an attester that fails ${rule} is not signed: its profile has neither country nor revocation list`, async () => {
    const about = { notBefore: start, notAfter: later(400), crlUri: null, rootAlg: key.alg } as const
    const own = { country: null, commonName: 'Root' }
    const draft = draftRoot({ ...about, profile: 'attesterRoot', key, subject: own, issuerAltNameUri: null })
    const above = await issueCertificate(draft, 'attesterRoot', null, key)
    const leaf = draftLeaf({
      ...about,
      profile: 'attester',
      root: above,
      subject: own,
      spki: spkiOf(key.publicJwk),
      ...change,
      subjectNames: [{ kind: 'uri', value: 'https://issuer.example' }],
    })
    const other = ext.issuerAltName([{ kind: 'uri', value: 'https://else.example' }])
    const extensions = rule === 'issuer_alt_name' ? [...leaf.extensions, other] : leaf.extensions
    await assert.rejects(
      () => issueCertificate({ ...leaf, extensions }, 'attester', above, key),
      (error: { meta?: { rule?: string } }) => error.meta?.rule === rule,
    )
  })
}
