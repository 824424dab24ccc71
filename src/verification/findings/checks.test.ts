import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathFindingMessages } from '../../crypto/x509-path/path-findings.ts'
import { trustFindingMessages } from '../../trust/lookups/finding.ts'
import { type CheckFacts, checksOf } from './checks.ts'
import { issueMessages } from './finding.ts'

const facts: CheckFacts = { acceptedAs: 'own', holderBinding: true, status: 'read', statusAsOf: new Date(0) }
const asked = { values: true, transaction: true }
const defect = (code: string) => ({ code, message: '' })
const outcomes = (...input: Parameters<typeof checksOf>) =>
  Object.fromEntries(checksOf(...input).map(({ code, outcome }) => [code, outcome]))

test('a credential without a defect passed every check that was asked, and says how old its status is', () => {
  const checks = checksOf([], facts, asked)
  assert.deepEqual([...new Set(checks.map(({ outcome }) => outcome))], ['passed'])
  assert.partialDeepStrictEqual(checks[2], { code: 'issuer', acceptedAs: 'own' })
  assert.partialDeepStrictEqual(checks[5], { code: 'status', statusAsOf: '1970-01-01T00:00:00.000Z' })
})

test('what the template or the credential does not ask for is said, and a warning is no failure', () => {
  const found = outcomes(
    [defect('issuer.not_restricted')],
    { ...facts, status: 'none', holderBinding: false },
    {
      values: false,
      transaction: false,
    },
  )
  const open = { values: 'not_asked', transaction: 'not_asked', status: 'not_asked', holder_binding: 'not_asked' }
  assert.deepEqual(found, {
    form: 'passed',
    signature: 'passed',
    validity: 'passed',
    claims: 'passed',
    issuer: 'warning',
    ...open,
  })
})

for (const [what, code, of, input, expected] of [
  ['revoked', 'status.revoked', 'status', facts, { signature: 'passed', claims: 'not_checked' }],
  ['with a forged signature', 'jwt.signature', 'signature', { ...facts, status: 'skipped' }, { status: 'not_checked' }],
  ['of an issuer whose key is unknown', 'issuer.unresolved', 'issuer', null, { signature: 'not_checked' }],
  ['with another value', 'value.different', 'values', facts, { claims: 'passed', status: 'passed' }],
  ['that was not presented', 'presentation.missing', 'claims', null, { form: 'not_checked' }],
] as const) {
  test(`a credential ${what} fails that check, and later ones are not said to have passed`, () => {
    assert.partialDeepStrictEqual(outcomes([defect(code)], input, asked), { ...expected, [of]: 'failed' })
  })
}

test('every code of an issue of a presented credential belongs to one check', () => {
  const codes = Object.keys({ ...issueMessages, ...trustFindingMessages, ...pathFindingMessages }).filter(
    (code) => !code.startsWith('wallet.'),
  )
  for (const code of codes) {
    const own = checksOf([defect(code)], null, asked).filter(({ issues }) => issues.includes(code))
    assert.equal(own.length, 1, code)
  }
})
