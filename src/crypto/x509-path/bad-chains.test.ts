// Each way in which a chain can be bad, made by openssl, and the one finding that refuses it.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { anchorSetOf } from './anchor.ts'
import type { PathFindingCode } from './path-findings.ts'
import { type KeyKind, leafExtensions, type Made, openssl, rootExtensions } from './test-support/openssl.ts'
import { june, pki } from './test-support/pki.ts'
import { type PathInput, validatePath } from './validate-path.ts'

const tool = openssl()
after(() => tool.remove())
const { root, middle, leaf, make, trusted } = pki(tool)
const longAgo = { from: '250101000000Z', until: '251231235959Z' }
const signs = 'keyUsage = critical, digitalSignature'
const signer = 'extendedKeyUsage = critical, 1.0.18013.5.1.2'

function authority(subject: string, extensions: readonly string[] = rootExtensions, issuer: Made | undefined = root) {
  return make({ subject: `/C=ZA/CN=${subject}`, extensions, issuer })
}
function selfSigned(subject: string, extensions = rootExtensions) {
  return make({ subject, extensions, issuer: undefined })
}
/** A leaf under a chain of authorities, and those up to the root, which is not sent. */
function under(...authorities: readonly Made[]): readonly Made[] {
  return [make({ issuer: authorities[0] }), ...authorities]
}
function weak(key: KeyKind): readonly Made[] {
  return under(make({ subject: '/C=ZA/CN=Weak', extensions: rootExtensions, key }))
}
function ladderOf(length: number): readonly Made[] {
  const authorities = [middle]
  while (authorities.length < length)
    authorities.unshift(authority(`Rung ${authorities.length}`, undefined, authorities[0]))
  return under(...authorities)
}
function loop(): readonly Made[] {
  const [a, b] = [selfSigned('/C=ZA/CN=A'), selfSigned('/C=ZA/CN=B')]
  const aByB = make({ subject: '/C=ZA/CN=A', extensions: rootExtensions, keyOf: a, issuer: b })
  const bByA = make({ subject: '/C=ZA/CN=B', extensions: rootExtensions, keyOf: b, issuer: a })
  return [make({ issuer: aByB }), aByB, bByA, aByB]
}

type Bad = readonly [what: string, code: PathFindingCode, make: () => readonly Made[], ask?: () => Partial<PathInput>]

const twin = selfSigned('/C=ZA/CN=Root')
const narrow = selfSigned('/C=ZA/CN=Narrow', [
  'basicConstraints = critical, CA:true, pathlen:0',
  ...rootExtensions.slice(1),
])
const below = authority('Below', undefined, narrow)
const northern = selfSigned('/C=ZA/ST=North/CN=Northern')
const old = make({ subject: '/C=ZA/CN=Old root', extensions: rootExtensions, issuer: undefined, ...longAgo })
const sameKey = make({
  subject: '/C=ZA/CN=Root',
  extensions: [...rootExtensions.slice(0, 2), 'subjectKeyIdentifier = DEADBEEF'],
  keyOf: root,
  issuer: undefined,
})
const plainMiddle = authority('Plain', ['keyUsage = critical, keyCertSign', 'subjectKeyIdentifier = hash'])
const renamed = make({ subject: '/C=ZA/CN=Renamed', extensions: rootExtensions, keyOf: middle })
const forbidding = (line: string) => () => under(authority('Forbidden', [...rootExtensions, line]))

const bad: readonly Bad[] = [
  ['no certificate', 'chain.empty', () => []],
  ['an expired leaf', 'certificate.expired', () => [make(longAgo)]],
  [
    'an expired intermediate',
    'certificate.expired',
    () => under(make({ subject: '/CN=M', extensions: rootExtensions, ...longAgo })),
  ],
  ['an expired root', 'certificate.expired', () => [make({ issuer: old })], () => ({ anchors: trusted(old) })],
  ['a leaf that is not valid yet', 'certificate.not_yet_valid', () => [make({ from: '260701000000Z' })]],
  ['a leaf for key agreement', 'leaf.key_usage', () => [make({ extensions: ['keyUsage = critical, keyAgreement'] })]],
  [
    'a reader as issuer',
    'leaf.extended_key_usage',
    () => [make({ extensions: [signs, 'extendedKeyUsage = 1.0.18013.5.1.6'] })],
  ],
  [
    'a web server as issuer',
    'leaf.extended_key_usage',
    () => [make({ extensions: [signs, 'extendedKeyUsage = serverAuth'] })],
  ],
  [
    'an intermediate for web servers',
    'ca.extended_key_usage',
    () => under(authority('Web', [...rootExtensions, 'extendedKeyUsage = serverAuth'])),
  ],
  [
    'an intermediate with CA false',
    'ca.missing',
    () => under(authority('No', ['basicConstraints = critical, CA:false', ...rootExtensions.slice(1)])),
  ],
  ['an intermediate without basic constraints', 'ca.missing', () => under(plainMiddle)],
  [
    'a leaf that signed another leaf',
    'ca.missing',
    () => under(authority('Leafy', ['subjectKeyIdentifier = hash', 'subjectAltName = DNS:a.example'])),
  ],
  [
    'an intermediate that may not sign certificates',
    'ca.key_usage',
    () => under(authority('Usage', [...rootExtensions.slice(0, 1), 'keyUsage = critical, cRLSign'])),
  ],
  [
    'an intermediate under a root that allows none',
    'ca.path_length',
    () => under(below),
    () => ({ anchors: trusted(narrow) }),
  ],
  ['an issuer that is not the next subject', 'chain.name', () => [make({ issuer: middle }), renamed]],
  [
    'an intermediate of the right name with another key',
    'chain.signature',
    () => [make({ issuer: middle }), authority('Middle')],
  ],
  [
    'another key identifier than the root has',
    'chain.authority_key',
    () => [leaf],
    () => ({ anchors: trusted(sameKey) }),
  ],
  ['a foreign root with the same name', 'chain.anchor_key', () => [make({ issuer: twin })]],
  ['a foreign root with the same name, sent along', 'chain.anchor_key', () => [make({ issuer: twin }), twin]],
  ['a foreign root', 'chain.no_anchor', () => [make({ issuer: selfSigned('/CN=Foreign') })]],
  ['an intermediate that is missing', 'chain.no_anchor', () => [make({ issuer: middle })]],
  ['nobody trusted', 'chain.no_anchor', () => [leaf], () => ({ anchors: trusted() })],
  [
    'a root trusted for something else',
    'chain.anchor_purpose',
    () => [leaf],
    () => ({
      anchors: anchorSetOf([{ certificate: root.certificate, purposes: ['verifier', 'status'], owner: 'x' }]),
    }),
  ],
  ['a self-signed leaf', 'leaf.self_signed', () => [selfSigned('/C=ZA/CN=Self', [signs])]],
  [
    'an authority as leaf',
    'leaf.is_ca',
    () => [
      authority('Signing', [
        'basicConstraints = critical, CA:true',
        'keyUsage = critical, keyCertSign, digitalSignature',
      ]),
    ],
  ],
  ['the trusted certificate as leaf', 'leaf.is_anchor', () => [root]],
  [
    'a self-signed certificate sent along (HAIP)',
    'chain.self_signed',
    () => [leaf, root],
    () => ({ selfSigned: 'refused' }),
  ],
  ['a leaf of RSA 1024', 'certificate.weak_key', () => [make({ key: 'rsa1024' })]],
  ['an intermediate of RSA 1024', 'certificate.weak_key', () => weak('rsa1024')],
  ['an intermediate of P-224', 'certificate.weak_key', () => weak('p224')],
  ['a signature with SHA-1', 'certificate.weak_signature', () => [make({ digest: 'sha1' })]],
  [
    'an unknown critical extension',
    'certificate.critical_extension',
    () => [make({ extensions: [...leafExtensions, '1.2.3.4 = critical, ASN1:NULL'] })],
  ],
  [
    'an unknown critical extension above',
    'certificate.critical_extension',
    () => under(authority('Odd', [...rootExtensions, '1.2.3.4 = critical, ASN1:NULL'])),
  ],
  ['name constraints', 'certificate.forbidden_extension', forbidding('nameConstraints = permitted;DNS:example.org')],
  [
    'critical name constraints',
    'certificate.forbidden_extension',
    forbidding('nameConstraints = critical, permitted;DNS:example.org'),
  ],
  [
    'policy constraints',
    'certificate.forbidden_extension',
    forbidding('policyConstraints = critical, requireExplicitPolicy:0'),
  ],
  ['policy mappings', 'certificate.forbidden_extension', forbidding('policyMappings = 1.2.3:1.2.4')],
  ['inhibited policies', 'certificate.forbidden_extension', forbidding('inhibitAnyPolicy = critical, 0')],
  ['a freshest CRL', 'certificate.forbidden_extension', forbidding('freshestCRL = URI:http://crl.example/delta')],
  ['a leaf of version 1', 'certificate.version', () => [make({ extensions: [] })]],
  ['a loop', 'chain.loop', loop],
  ['six certificates', 'chain.too_long', () => ladderOf(5)],
  ['five certificates below the root', 'chain.too_long', () => ladderOf(4)],
  [
    'a document signer of another country',
    'iaca.country',
    () => [make({ subject: '/C=NA/CN=Signer', extensions: [signs, signer] })],
  ],
  [
    'a document signer without a country',
    'iaca.country',
    () => [make({ subject: '/CN=Signer', extensions: [signs, signer] })],
  ],
  [
    'a document signer of another province',
    'iaca.state',
    () => [make({ subject: '/C=ZA/ST=South/CN=Signer', extensions: [signs, signer], issuer: northern })],
    () => ({ anchors: trusted(northern) }),
  ],
  [
    'a leaf of another country where the rules of IACAs are asked for',
    'iaca.country',
    () => [make({ subject: '/C=NA/CN=L' })],
    () => ({ iaca: true }),
  ],
]

for (const [what, code, chain, ask] of bad) {
  test(`refused: ${what}`, () => {
    const der = chain().map(({ certificate }) => certificate.der)
    const result = validatePath({ chain: der, anchors: trusted(root), purpose: 'issuer', at: june, ...ask?.() })
    assert.deepEqual(
      result.findings.map((one) => one.code),
      [code],
    )
    assert.equal(result.ok, false)
    assert.deepEqual(result.path, [])
  })
}
