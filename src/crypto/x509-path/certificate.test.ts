import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Fault } from '../../fault.ts'
import { readCertificate } from '../x509/certificate.ts'
import { readCrl } from '../x509/crl.ts'
import { readPem, toPem } from '../x509/pem.ts'
import { openssl } from './test-support/openssl.ts'
import { june, pki } from './test-support/pki.ts'
import { validatePath } from './validate-path.ts'

const tool = openssl()
after(() => tool.remove())
const { root, leaf, make, trusted } = pki(tool)
const { der } = leaf.certificate

/** What a reader makes of bytes: whether it took them. Anything but a fault is a defect. */
function isRead(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    assert(error instanceof Fault, String(error))
    assert.equal(error.code, 'certificate.invalid')
    return false
  }
}

test('[SEC-27] no bit of a certificate can be turned without the chain being refused', () => {
  for (let bit = 0; bit < 8 * der.length; bit += 1) {
    const flipped = Buffer.from(der)
    flipped[bit >> 3] = (der[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const result = validatePath({ chain: [flipped], anchors: trusted(root), purpose: 'issuer', at: june })
    assert(!result.ok, `bit ${bit}`)
  }
})

test('a certificate that is cut off, or followed by something, is not read', () => {
  for (let length = 0; length < der.length; length += 1) assert(!isRead(() => readCertificate(der.subarray(0, length))))
  assert(!isRead(() => readCertificate(Buffer.concat([der, Buffer.of(0)]))))
  assert(isRead(() => readCertificate(der)))
})

test('a length in more bytes than needed, and an indefinite one, are not DER', () => {
  const long = Buffer.concat([Buffer.of(0x30, 0x83, 0), der.subarray(2)])
  const indefinite = Buffer.concat([Buffer.of(0x30, 0x80), der.subarray(4), Buffer.of(0, 0)])
  for (const bytes of [long, indefinite]) assert(!isRead(() => readCertificate(bytes)))
})

test('an extension that is there twice is refused', () => {
  const wish = { extensions: ['1.2.3.4 = ASN1:NULL', '1.2.3.5 = ASN1:NULL'] }
  const bytes = Buffer.from(make(wish).certificate.der)
  const oid = Buffer.from('06032a0305', 'hex')
  const at = bytes.indexOf(oid)
  assert(at > 0)
  bytes[at + 4] = 4
  assert(!isRead(() => readCertificate(bytes)))
})

test('a name with a NUL in it does not hide what follows', () => {
  const wish = { extensions: ['subjectAltName = DNS:bank.example.evil.example'] }
  const bytes = Buffer.from(make(wish).certificate.der)
  bytes[bytes.indexOf('.evil')] = 0
  assert(!isRead(() => readCertificate(bytes)))
})

test('PEM is one certificate and nothing else, and comes out as it went in', () => {
  assert.equal(toPem('CERTIFICATE', readPem(leaf.pem).der), leaf.pem)
  const others = [
    '',
    'x',
    `${leaf.pem}${leaf.pem}`,
    leaf.pem.replaceAll('CERTIFICATE', 'PRIVATE KEY'),
    leaf.pem.slice(0, 200),
  ]
  for (const text of others) assert(!isRead(() => readPem(text)), text)
})

test('names are told in the manner of RFC 4514', () => {
  const { subject } = make({ subject: '/C=ZA/ST=East\\, Cape/O=A\\+B/CN= "x"' }).certificate
  assert.equal(subject.text, 'CN=\\ \\"x\\",O=A\\+B,ST=East\\, Cape,C=ZA')
  assert.equal(subject.state, 'East, Cape')
})

test('alternative names, key identifiers and places of revocation lists are read', () => {
  const where = 'crlDistributionPoints = URI:http://a.example/crl, URI:http://b.example/crl'
  const { extensions } = make({
    extensions: ['subjectAltName = URI:https://i.example/x, DNS:i.example, email:a@i.example', where],
  }).certificate
  assert.deepEqual(extensions.subjectAltName, {
    dns: ['i.example'],
    uris: ['https://i.example/x'],
    emails: ['a@i.example'],
  })
  assert.deepEqual(extensions.crlUrls, ['http://a.example/crl', 'http://b.example/crl'])
  assert.equal(
    leaf.certificate.extensions.authorityKeyId?.toString('hex'),
    root.certificate.extensions.subjectKeyId?.toString('hex'),
  )
})

test('a revocation list that is cut off is not read', () => {
  const { tbs } = tool.crl(root, [leaf])
  assert(!isRead(() => readCrl(tbs)))
  assert(!isRead(() => readCrl(der)))
})
