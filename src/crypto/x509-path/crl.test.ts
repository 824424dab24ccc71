import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { PathFindingCode } from './path-findings.ts'
import { type Made, openssl } from './test-support/openssl.ts'
import { june, pki } from './test-support/pki.ts'
import { type PathInput, validatePath } from './validate-path.ts'

const tool = openssl()
after(() => tool.remove())
const { root, middle, leaf, make, trusted } = pki(tool)
const twin = tool.make({ subject: '/C=ZA/CN=Root', extensions: ['basicConstraints = critical, CA:true'] })

function lists(issuer: Made, revoked: readonly Made[] = [], more: readonly string[] = []): Partial<PathInput> {
  return { revocation: { crls: [tool.crl(issuer, revoked, more)], policy: 'hard' } }
}

const bad: readonly (readonly [what: string, code: PathFindingCode, ask: () => Partial<PathInput>])[] = [
  ['a revoked leaf', 'certificate.revoked', () => lists(root, [leaf])],
  [
    'a revoked leaf, soft',
    'certificate.revoked',
    () => ({ revocation: { crls: [tool.crl(root, [leaf])], policy: 'soft' } }),
  ],
  [
    'a leaf that a list which has run out revoked',
    'certificate.revoked',
    () => ({
      revocation: { crls: [tool.crl(root, [leaf])], policy: 'soft', now: new Date('2026-08-01') },
    }),
  ],
  ['no revocation list', 'crl.missing', () => ({ revocation: { crls: [], policy: 'hard' } })],
  ['a list of another authority', 'crl.missing', () => lists(middle)],
  [
    'a list that has run out',
    'crl.stale',
    () => ({
      revocation: { crls: [tool.crl(root, [])], policy: 'hard', now: new Date('2026-08-01') },
    }),
  ],
  ['a list signed by a foreign root with the same name', 'crl.signature', () => lists(twin)],
  ['a list that is only a part', 'crl.unsupported', () => lists(root, [], ['-crlexts', 'partial'])],
]

for (const [what, code, ask] of bad) {
  test(`[SEC-29] refused: ${what}`, () => {
    const chain = [leaf.certificate.der]
    const { findings } = validatePath({ chain, anchors: trusted(root), purpose: 'issuer', at: june, ...ask() })
    assert.deepEqual(
      findings.map((one) => one.code),
      [code],
    )
  })
}

for (const [what, now, codes] of [
  ['signed 60 s ahead of our clock', '2026-04-30T23:59:00Z', []],
  ['signed 61 s ahead of our clock', '2026-04-30T23:58:59Z', ['crl.stale']],
  ['that ran out 59 s ago', '2026-07-01T00:00:59Z', []],
  ['that ran out 60 s ago', '2026-07-01T00:01:00Z', ['crl.stale']],
] as const) {
  test(`[SEC-80] a list ${what} is ${codes.length === 0 ? 'current' : 'stale'}: clocks differ by a minute`, () => {
    const revocation = { crls: [tool.crl(root, [])], policy: 'hard', now: new Date(now) } as const
    const chain = [leaf.certificate.der]
    const { findings } = validatePath({ chain, anchors: trusted(root), purpose: 'issuer', at: june, revocation })
    assert.deepEqual(
      findings.map(({ code }) => code),
      codes,
    )
  })
}

test('[SEC-29] a chain with its list, and one without a list where none is demanded, is good', () => {
  const ask = { chain: [leaf.certificate.der], anchors: trusted(root), purpose: 'issuer', at: june } as const
  assert.deepEqual(validatePath({ ...ask, ...lists(root) }).findings, [])
  assert.deepEqual(validatePath({ ...ask, revocation: { crls: [], policy: 'soft' } }).findings, [])
  const both = { crls: [tool.crl(root, []), tool.crl(middle, [])], policy: 'hard' } as const
  const chain = [make({ issuer: middle }), middle].map(({ certificate }) => certificate.der)
  assert.deepEqual(validatePath({ ...ask, chain, revocation: both }).findings, [])
  const revoked = { crls: [tool.crl(root, [middle]), tool.crl(middle, [])], policy: 'hard' } as const
  assert.deepEqual(
    validatePath({ ...ask, chain, revocation: revoked }).findings.map((one) => one.code),
    ['certificate.revoked'],
  )
})
