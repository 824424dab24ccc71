import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../crypto/json.ts'
import { mappedRoles, oneTextOf } from './provider-claim.ts'

const claims = { username: 'sub', email: 'email', externalIdentifier: null, roles: 'groups' }
const roles = { clerks: ['issuer'], desk: ['verifier'], '[odd]': ['auditor'] } as const

const stated: readonly (readonly [Json | undefined, readonly string[] | null])[] = [
  [undefined, null],
  [null, null],
  [[], []],
  [
    ['clerks', 'desk', 'others'],
    ['issuer', 'verifier'],
  ],
  ['clerks', ['issuer']],
  [{ clerks: { id: 1 } }, ['issuer']],
  ['["clerks", "desk"]', ['issuer', 'verifier']],
  [' [ "desk" ]', ['verifier']],
  ['[]', []],
  ['[odd]', ['auditor']],
  ['{"clerks": 1}', []],
  [[{ name: 'clerks' }], null],
  [[7, { name: 'clerks' }, 'desk'], ['verifier']],
  [7, null],
  [{}, []],
]
for (const [groups, expected] of stated)
  test(`the roles of a person in ${JSON.stringify(groups) ?? 'no group that is known'}`, () => {
    assert.deepEqual(mappedRoles({ claims, roles }, groups === undefined ? {} : { groups }), expected)
  })

test('a person in thousands of groups has the role of the last of them', () => {
  const groups = Array.from({ length: 5000 }, (_, at) => `group-${at}`)
  assert.deepEqual(mappedRoles({ claims, roles }, { groups: [...groups, 'clerks'] }), ['issuer'])
})

const texts: readonly (readonly [Json | undefined, string | null])[] = [
  ['E7', 'E7'],
  [7, '7'],
  [['E7'], 'E7'],
  [[7], '7'],
  [['E7', 'E8'], null],
  [[], null],
  [[['E7']], null],
  [{ id: 'E7' }, null],
  [true, null],
  [undefined, null],
]
for (const [claim, expected] of texts)
  test(`a claim that is ${JSON.stringify(claim) ?? 'absent'} is the text ${expected}`, () => {
    assert.equal(oneTextOf(claim), expected)
  })
