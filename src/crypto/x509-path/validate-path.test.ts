import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { readCertificate } from '../x509/certificate.ts'
import { anchorSetOf, type Purpose } from './anchor.ts'
import { leafExtensions, type Made, openssl, rootExtensions } from './test-support/openssl.ts'
import { june, pki } from './test-support/pki.ts'
import { type PathInput, validatePath } from './validate-path.ts'

const tool = openssl()
after(() => tool.remove())
const { root, middle, leaf, trusted, make } = pki(tool)

function codesOf(chain: readonly Made[], ask: Partial<PathInput> = {}): readonly string[] {
  const der = chain.map(({ certificate }) => certificate.der)
  const result = validatePath({ chain: der, anchors: trusted(root), purpose: 'issuer', at: june, ...ask })
  assert.equal(result.ok, result.findings.length === 0)
  assert.equal(result.anchor === null, !result.ok)
  return result.findings.map(({ code }) => code)
}

test('[X5-3] chains that hold: directly under the root, through an intermediate, with the root sent along', () => {
  const below = make({ issuer: middle })
  assert.deepEqual(codesOf([leaf]), [])
  assert.deepEqual(codesOf([below, middle]), [])
  assert.deepEqual(codesOf([below, middle, root]), [])
  assert.deepEqual(codesOf([leaf, root]), [])
})

for (const key of ['ed25519', 'rsa2048', 'p384'] as const) {
  test(`a root with a key of the kind ${key} may be trusted`, () => {
    const other = make({ subject: '/C=NL/CN=Other root', extensions: rootExtensions, key, issuer: undefined })
    const below = make({ issuer: other, ...(key === 'ed25519' && { key }) })
    assert.deepEqual(codesOf([below], { anchors: trusted(other) }), [])
  })
}

test('[X5-3] an intermediate that is trusted itself ends the path, whatever else the chain brings', () => {
  const below = make({ issuer: middle })
  const stranger = make({ subject: '/CN=Stranger' })
  for (const chain of [[below], [below, middle], [below, stranger]]) {
    assert.deepEqual(codesOf(chain, { anchors: trusted(middle) }), [])
  }
})

test('[X5-3] of two roots with one name the one whose key signed is found', () => {
  const twin = make({ subject: '/C=ZA/CN=Root', extensions: rootExtensions, issuer: undefined })
  assert.deepEqual(codesOf([leaf], { anchors: trusted(twin, root) }), [])
})

test('[X5-3] of anchors with one name and key each is tried, in any order: the renewed one counts', () => {
  const again = { subject: '/C=ZA/CN=Root', extensions: rootExtensions, keyOf: root, issuer: undefined }
  const expired = make({ ...again, from: '250101000000Z', until: '251231235959Z' })
  assert.deepEqual(codesOf([leaf], { anchors: trusted(expired, root) }), [])
  assert.deepEqual(codesOf([leaf], { anchors: trusted(root, expired) }), [])
  assert.deepEqual(codesOf([leaf], { anchors: trusted(expired, expired) }), ['certificate.expired'])
})

test('[X5-3] where a trusted intermediate will not do, the root above it is tried', () => {
  const again = { subject: '/C=ZA/CN=Middle', extensions: rootExtensions, keyOf: middle }
  const expired = make({ ...again, from: '250101000000Z', until: '251231235959Z' })
  const below = make({ issuer: middle })
  assert.deepEqual(codesOf([below, middle], { anchors: trusted(expired, root) }), [])
  assert.deepEqual(codesOf([below, middle], { anchors: trusted(expired) }), ['certificate.expired'])
})

test('[X5-4] an anchor counts for its purposes only', () => {
  const reader = make({ extensions: ['keyUsage = critical, digitalSignature', 'extendedKeyUsage = 1.0.18013.5.1.6'] })
  const anchors = anchorSetOf([{ certificate: root.certificate, purposes: ['verifier'], owner: 'one' }])
  assert.deepEqual(codesOf([reader], { anchors, purpose: 'verifier' }), [])
  for (const purpose of ['issuer', 'status'] satisfies Purpose[]) {
    assert(codesOf([reader], { anchors, purpose }).includes('chain.anchor_purpose'))
  }
})

test('[X5-3] the published document signer verifies under its IACA while it was valid, and not after', () => {
  const file = new URL('../../../test/vectors/data/mdoc/annex-d-certificates.json', import.meta.url)
  const read = JSON.parse(readFileSync(file, 'utf8')) as Record<'iaca' | 'documentSigner' | 'reader', string>
  const der = (name: keyof typeof read) => Buffer.from(read[name], 'hex')
  const anchors = anchorSetOf([{ certificate: readCertificate(der('iaca')), purposes: ['issuer'], owner: 'utopia' }])
  const usage = ['1.0.18013.5.1.2']
  const ask = { anchors, purpose: 'issuer', iaca: true, extendedKeyUsage: usage, at: new Date('2020-10-15') } as const
  const held = validatePath({ ...ask, chain: [der('documentSigner')] })
  assert.deepEqual(held.findings, [])
  assert.equal(held.anchor?.owner, 'utopia')
  assert.equal(held.leaf?.subject.text, 'C=US,CN=utopia ds')
  const now = validatePath({ ...ask, chain: [der('documentSigner')], at: new Date('2021-10-02') })
  assert.deepEqual(
    now.findings.map(({ code }) => code),
    ['certificate.expired'],
  )
  assert(!validatePath({ ...ask, chain: [der('reader')] }).ok)
})

test('a trusted entity says which extended key usages its signers have, and that they may have none', () => {
  const usage = (oid: string) => make({ extensions: [...leafExtensions, `extendedKeyUsage = ${oid}`] })
  const [odd, reader] = [usage('1.2.3.4'), usage('1.0.18013.5.1.6')]
  const required = ['1.0.18013.5.1.2']
  const refused = ['leaf.extended_key_usage']
  for (const [signer, signerUsages, extendedKeyUsage, codes] of [
    [leaf, [], required, refused],
    [leaf, ['none'], required, []],
    [leaf, ['1.2.3.4'], required, refused],
    [leaf, ['1.2.3.4'], undefined, refused],
    [odd, [], undefined, refused],
    [odd, ['1.2.3.4'], undefined, []],
    [odd, ['none', '1.2.3.4'], required, []],
    [odd, ['none'], required, refused],
  ] as const) {
    const anchors = anchorSetOf([{ certificate: root.certificate, purposes: ['issuer'], owner: 'one', signerUsages }])
    const ask = extendedKeyUsage === undefined ? { anchors } : { anchors, extendedKeyUsage }
    assert.deepEqual(codesOf([signer], ask), codes, JSON.stringify([signerUsages, extendedKeyUsage]))
  }
  // nobody verifies with the key of a signer
  const anchor = {
    certificate: root.certificate,
    purposes: ['verifier'],
    owner: 'one',
    signerUsages: ['1.2.3.4'],
  } as const
  assert.deepEqual(codesOf([odd], { anchors: anchorSetOf([anchor]), purpose: 'verifier' }), refused)
  assert.deepEqual(codesOf([reader], { anchors: anchorSetOf([anchor]), purpose: 'verifier' }), [])
})

test('a document signer without the usage that is demanded is refused', () => {
  assert.deepEqual(codesOf([leaf], { extendedKeyUsage: ['1.0.18013.5.1.2'] }), ['leaf.extended_key_usage'])
})

test('a chain that was found good is good at other times only if its certificates were valid then', () => {
  const ask = { chain: [leaf.certificate.der], anchors: trusted(root), purpose: 'issuer' } as const
  assert(validatePath({ ...ask, at: june }).ok)
  assert(validatePath({ ...ask, at: new Date('2026-07-01') }).ok)
  assert(!validatePath({ ...ask, at: new Date('2027-07-01') }).ok)
  assert(!validatePath({ ...ask, at: june, anchors: trusted() }).ok)
  assert(!validatePath({ ...ask, at: june, purpose: 'verifier' }).ok)
  const flipped = Buffer.from(leaf.certificate.der)
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1
  assert(!validatePath({ ...ask, at: june, chain: [flipped] }).ok)
})

test('a chain is not good for longer than the revocation list that it rests on', () => {
  const crls = [tool.crl(root, [])]
  const ask = { chain: [leaf.certificate.der], anchors: trusted(root), purpose: 'issuer', at: june } as const
  assert(validatePath({ ...ask, revocation: { crls, policy: 'hard', now: june } }).ok)
  const late = validatePath({ ...ask, revocation: { crls, policy: 'hard', now: new Date('2026-08-01') } })
  assert.deepEqual(
    late.findings.map(({ code }) => code),
    ['crl.stale'],
  )
})
