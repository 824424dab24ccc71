// What we write, read by another program.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, test } from 'node:test'
import { openSsl } from '../../../test/support/openssl.ts'
import { type SigningKey, softwareKey } from '../signing-key.ts'
import type { Certificate } from './certificate.ts'
import { crlLimits, readCrl, signRevocationList } from './crl.ts'
import { draftLeaf, draftRoot, subjectHost } from './draft-certificate.ts'
import { keyUsage, subjectKeyIdentifier } from './extension.ts'
import { issueCertificate } from './issue.ts'
import { keyIdentifierOf } from './key-identifier.ts'
import { encodeName } from './name.ts'
import { toPem } from './pem.ts'
import type { ProfileName } from './profile.ts'
import { spkiOf } from './signature.ts'
import { provesPossession, readSigningRequest, signRequest } from './signing-request.ts'

const ssl = openSsl()
after(() => ssl.close())

const now = new Date()
const start = new Date(now.getTime() - 60_000)
const later = (days: number) => new Date(start.getTime() + days * 86_400_000)
const crlUri = 'https://issuer.example/issuers/acme/crls/1.crl'

type KeyType = 'P-256' | 'Ed25519'
const keyTypes: readonly KeyType[] = ['P-256', 'Ed25519']

function aKey(type: KeyType): SigningKey {
  const { privateKey } =
    type === 'P-256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  return softwareKey(privateKey)
}

function aRoot(key: SigningKey, profile: ProfileName): Promise<Certificate> {
  const draft = draftRoot({
    profile,
    key,
    crlUri,
    notBefore: start,
    notAfter: later(365 * 5),
    subject: { country: 'ZA', commonName: 'Acme Überprüfung IACA' },
    issuerAltNameUri: 'https://acme.example',
  })
  return issueCertificate(draft, profile, null, key)
}

function aLeaf(root: Certificate, rootKey: SigningKey, key: SigningKey, profile: ProfileName): Promise<Certificate> {
  const draft = draftLeaf({
    profile,
    root,
    crlUri,
    notBefore: start,
    notAfter: later(400),
    rootAlg: rootKey.alg,
    subject: { country: 'ZA', commonName: 'Acme' },
    spki: spkiOf(key.publicJwk),
    subjectNames: [
      { kind: 'uri', value: 'https://issuer.example/issuers/acme' },
      subjectHost('https://issuer.example'),
    ],
  })
  return issueCertificate(draft, profile, root, rootKey)
}

function pem(name: string, certificate: Certificate): string {
  return ssl.file(name, toPem('CERTIFICATE', certificate.der))
}

for (const keyType of keyTypes) {
  const isP256 = keyType === 'P-256'
  for (const [rootProfile, leafProfile] of [
    [isP256 ? 'iaca' : 'issuerRoot', isP256 ? 'documentSigner' : 'sdJwtSigner'],
    ['readerRoot', 'readerAuth'],
  ] as const) {
    test(`openssl verifies the chain ${rootProfile}, ${leafProfile} on ${keyType}, strictly`, async () => {
      const [rootKey, leafKey] = [aKey(keyType), aKey(keyType)]
      const root = await aRoot(rootKey, rootProfile)
      const files = [pem('root.pem', root), pem('leaf.pem', await aLeaf(root, rootKey, leafKey, leafProfile))]
      const out = ssl.run('verify', '-x509_strict', '-CAfile', files[0] ?? '', files[1] ?? '')
      assert.match(out, /leaf\.pem: OK/)
    })
  }

  test(`openssl verifies the proof of possession of a request on ${keyType}`, async () => {
    const key = aKey(keyType)
    const spki = spkiOf(key.publicJwk)
    const subject = encodeName({ country: 'ZA', commonName: 'Acme Document Signer' })
    const extensions = [keyUsage('digitalSignature'), subjectKeyIdentifier(keyIdentifierOf(spki))]
    const der = await signRequest({ subject, spki, extensions }, key)
    const file = ssl.file('request.pem', toPem('CERTIFICATE REQUEST', der))
    const text = ssl.run('req', '-in', file, '-verify', '-noout', '-text', '-nameopt', 'RFC2253')
    assert.match(text, /Version: 1 \(0x0\)[\s\S]*Subject: CN=Acme Document Signer,C=ZA/)
    assert.match(text, /X509v3 Key Usage: critical\s+Digital Signature/)
    const read = readSigningRequest(der)
    assert.equal(provesPossession(read), true)
    assert.equal(
      provesPossession({ ...read, publicKey: readSigningRequest(await aRequest(aKey(keyType))).publicKey }),
      false,
    )
  })

  test(`openssl takes a revocation list on ${keyType} and refuses what stands in it, with and without entries`, async () => {
    const rootKey = aKey(keyType)
    const root = await aRoot(rootKey, 'readerRoot')
    const [good, bad] = [
      await aLeaf(root, rootKey, aKey(keyType), 'readerAuth'),
      await aLeaf(root, rootKey, aKey(keyType), 'readerAuth'),
    ]
    const list = async (number: number, revoked: readonly Certificate[]) => {
      const keyId = root.extensions.subjectKeyId ?? Buffer.alloc(0)
      const entries = revoked.map(({ serial }) => ({ serial: Buffer.from(serial, 'hex'), revokedAt: now }))
      const about = { number, thisUpdate: start, nextUpdate: later(7), revoked: entries }
      const der = await signRevocationList({ issuer: root.subject.der, issuerKeyId: keyId, ...about }, rootKey)
      return ssl.file('list.pem', toPem('X509 CRL', der))
    }
    pem('root.pem', root)
    const check = ['verify', '-crl_check', '-CAfile', 'root.pem', '-CRLfile', await list(1, [])]
    assert.match(ssl.run(...check, pem('bad.pem', bad)), /OK/)
    assert.doesNotMatch(ssl.run('crl', '-in', 'list.pem', '-noout', '-text'), /Revoked Certificates:/)
    await list(300, [bad])
    assert.match(ssl.refuse(...check, 'bad.pem'), /certificate revoked/)
    assert.match(ssl.run(...check, pem('good.pem', good)), /OK/)
    const text = ssl.run('crl', '-in', 'list.pem', '-CAfile', 'root.pem', '-noout', '-text')
    assert.match(text, /Version 2 \(0x1\)[\s\S]*X509v3 CRL Number:\s+300/)
  })
}

async function aList(entries: number): Promise<Buffer> {
  const key = aKey('Ed25519')
  // the longest entries: serial numbers of 16 octets, and dates in four digits of the year
  const revokedAt = new Date('2051-01-01')
  const revoked = Array.from({ length: entries }, (_, at) => {
    const serial = Buffer.alloc(16, 0x55)
    serial.writeUInt32BE(at, 4)
    return { serial, revokedAt }
  })
  const { subject, extensions } = await aRoot(key, 'issuerRoot')
  const issuer = { issuer: subject.der, issuerKeyId: extensions.subjectKeyId ?? Buffer.alloc(0) }
  return signRevocationList({ ...issuer, number: 1, thisUpdate: start, nextUpdate: later(7), revoked }, key)
}

test('a revocation list of every certificate that a root may sign is written and read', async () => {
  assert.equal(readCrl(await aList(crlLimits.entries)).revoked.size, crlLimits.entries)
})

test('a revocation list that no reader of ours would take is not signed', async () => {
  await assert.rejects(aList(30_000), /longer than 1048576 bytes/)
})

async function aRequest(key: SigningKey): Promise<Buffer> {
  const spki = spkiOf(key.publicJwk)
  return signRequest({ subject: encodeName({ country: 'ZA', commonName: 'x' }), spki, extensions: [] }, key)
}

const iacaText = [
  /Version: 3 \(0x2\)/,
  /Signature Algorithm: ecdsa-with-SHA256/,
  /Issuer: CN=Acme .*,C=ZA/,
  /Subject: CN=Acme .*,C=ZA/,
  /X509v3 Key Usage: critical\s+Certificate Sign, CRL Sign\n/,
  /X509v3 Basic Constraints: critical\s+CA:TRUE, pathlen:0/,
  /X509v3 Issuer Alternative Name: \n\s+URI:https:\/\/acme\.example/,
  /X509v3 CRL Distribution Points: \n\s+Full Name:\s+URI:https:\/\/issuer\.example\/issuers\/acme\/crls\/1\.crl/,
  /X509v3 Subject Key Identifier: \n/,
]
const leafText = [
  /X509v3 Authority Key Identifier: \n/,
  /X509v3 Key Usage: critical\s+Digital Signature\n/,
  /X509v3 Subject Alternative Name: \n\s+URI:https:\/\/issuer\.example\/issuers\/acme, DNS:issuer\.example/,
  /X509v3 CRL Distribution Points: \n/,
]
const texts: Readonly<Record<string, readonly RegExp[]>> = {
  iaca: iacaText,
  documentSigner: [
    ...leafText,
    /X509v3 Extended Key Usage: critical\s+1\.0\.18013\.5\.1\.2, 1\.0\.23220\.4\.1\.2/,
    /X509v3 Issuer Alternative Name: \n\s+URI:https:\/\/acme\.example/,
  ],
  mdlSigner: [...leafText, /X509v3 Extended Key Usage: critical\s+1\.0\.18013\.5\.1\.2\n/],
  sdJwtSigner: [...leafText, /X509v3 Issuer Alternative Name: \n\s+URI:https:\/\/acme\.example/],
  readerRoot: iacaText,
  readerAuth: [...leafText, /X509v3 Extended Key Usage: critical\s+1\.0\.18013\.5\.1\.6, 1\.0\.23220\.4\.1\.6/],
}
for (const [profile, lines] of Object.entries(texts)) {
  test(`openssl shows every field of the profile ${profile} (ISO/IEC 18013-5, Annex B)`, async () => {
    const key = aKey('P-256')
    const isReader = profile === 'readerRoot' || profile === 'readerAuth'
    const root = await aRoot(key, isReader ? 'readerRoot' : 'iaca')
    const isRoot = profile === 'iaca' || profile === 'readerRoot'
    const shown = isRoot ? root : await aLeaf(root, key, aKey('P-256'), profile as ProfileName)
    const text = ssl.run('x509', '-in', pem('shown.pem', shown), '-noout', '-text', '-nameopt', 'RFC2253,utf8,-esc_msb')
    for (const line of lines) assert.match(text, line)
    const structure = ssl.run('asn1parse', '-in', 'shown.pem')
    assert.match(structure, /PRINTABLESTRING\s+:ZA/)
    assert.match(structure, /UTF8STRING\s+:Acme/)
    assert.equal(/Extended Key Usage/.test(text), ['documentSigner', 'mdlSigner', 'readerAuth'].includes(profile))
    assert.equal(/Basic Constraints/.test(text), isRoot)
  })
}

test('openssl verifies an attester under its root, which has neither country nor revocation list, strictly', async () => {
  const [rootKey, key] = [aKey('P-256'), aKey('P-256')]
  const about = { notBefore: start, crlUri: null, rootAlg: rootKey.alg } as const
  const rootSubject = { country: null, commonName: 'issuer.example Wallet Provider Root' }
  const rootDraft = { ...about, key: rootKey, subject: rootSubject, notAfter: later(3650), issuerAltNameUri: null }
  const root = await issueCertificate(
    draftRoot({ ...rootDraft, profile: 'attesterRoot' }),
    'attesterRoot',
    null,
    rootKey,
  )
  const leafDraft = { ...about, root, notAfter: later(400), spki: spkiOf(key.publicJwk) }
  const subjectNames = [subjectHost('https://issuer.example')]
  const draft = draftLeaf({
    ...leafDraft,
    profile: 'attester',
    subject: { country: null, commonName: 'x' },
    subjectNames,
  })
  const files = [pem('root.pem', root), pem('leaf.pem', await issueCertificate(draft, 'attester', root, rootKey))]
  assert.match(ssl.run('verify', '-x509_strict', '-CAfile', files[0] ?? '', files[1] ?? ''), /leaf\.pem: OK/)
})

test('arc 1.0 begins with 0x28 in an object identifier (Appendix E, TRAP)', async () => {
  const key = aKey('P-256')
  const leaf = await aLeaf(await aRoot(key, 'iaca'), key, aKey('P-256'), 'documentSigner')
  assert(leaf.der.includes(Buffer.from('060728818c5d050102', 'hex')))
})

test('serial numbers are 16 random octets, positive, never the same', async () => {
  const key = aKey('P-256')
  const roots = await Promise.all(Array.from({ length: 50 }, () => aRoot(key, 'iaca')))
  const serials = roots.map(({ serial }) => serial)
  assert.equal(new Set(serials).size, 50)
  for (const serial of serials) assert.match(serial, /^[4-7][0-9a-f]{31}$/)
})

test('the host of a URL is a dNSName, or an iPAddress if it is one', async () => {
  const key = aKey('P-256')
  const hosts = ['http://localhost:8080', 'http://127.0.0.1:80', 'http://[2001:db8::1:0]/'].map(subjectHost)
  const about = { profile: 'readerAuth', notBefore: start, notAfter: later(1), crlUri, rootAlg: key.alg } as const
  const subject = { country: 'ZA', commonName: 'x' }
  const root = await aRoot(key, 'readerRoot')
  const draft = draftLeaf({ ...about, root, subject, spki: spkiOf(key.publicJwk), subjectNames: hosts })
  const file = pem('hosts.pem', await issueCertificate(draft, 'readerAuth', root, key))
  const text = ssl.run('x509', '-in', file, '-noout', '-ext', 'subjectAltName')
  assert.match(text, /DNS:localhost, IP Address:127\.0\.0\.1, IP Address:2001:DB8:0:0:0:0:1:0/)
})
