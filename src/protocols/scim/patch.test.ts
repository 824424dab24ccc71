import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePatch } from './parse-patch.ts'
import { applyPatch, type Resource } from './patch.ts'
import { groupSchema, userSchema } from './schema.ts'

const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
const babs: Resource = {
  userName: 'bjensen',
  externalId: 'E-1',
  name: { givenName: 'Barbara', familyName: 'Jensen' },
  displayName: 'Babs',
  active: true,
  emails: [
    { value: 'bjensen@example.com', type: 'work', primary: true },
    { value: 'babs@jensen.org', type: 'home' },
  ],
  roles: [],
}

function patched(operations: object[], resource: Resource = babs, schema = userSchema): Resource {
  return applyPatch(schema, resource, parsePatch(JSON.parse(JSON.stringify({ schemas, Operations: operations }))))
}

function changes(operations: object[]): object {
  const after = patched(operations)
  const names = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(babs[name]))
  return Object.fromEntries(names.map((name) => [name, after[name]]))
}

const [work, home] = [
  { value: 'bjensen@example.com', type: 'work', primary: true },
  { value: 'babs@jensen.org', type: 'home' },
]
const name = { givenName: 'Barbara', familyName: 'Jensen' }

for (const [what, operations, expected] of [
  ['add an attribute', [{ op: 'add', path: 'displayName', value: 'B' }], { displayName: 'B' }],
  // RFC 7644 3.5.2.1: elements are added, and what is there already is not added again
  [
    'add elements without a path',
    [{ op: 'add', value: { emails: [work, { value: 'b@example.org', type: 'other' }], displayName: 'B' } }],
    { displayName: 'B', emails: [work, home, { value: 'b@example.org', type: 'other' }] },
  ],
  [
    'a new primary element ends the old one',
    [{ op: 'add', path: 'emails', value: [{ value: 'b@example.org', primary: true }] }],
    { emails: [{ ...work, primary: false }, home, { value: 'b@example.org', primary: true }] },
  ],
  // RFC 7644 3.5.2.2
  [
    'remove elements by a filter',
    [{ op: 'remove', path: 'emails[type eq "work" and value ew "example.com"]' }],
    { emails: [home] },
  ],
  ['remove all elements', [{ op: 'remove', path: 'emails' }], { emails: [] }],
  ['remove a sub-attribute', [{ op: 'remove', path: 'name.givenName' }], { name: { ...name, givenName: null } }],
  // RFC 7644 3.5.2.3
  [
    'replace some sub-attributes',
    [{ op: 'replace', path: 'name', value: { familyName: 'J' } }],
    { name: { ...name, familyName: 'J' } },
  ],
  [
    'replace a sub-attribute of the elements of a filter',
    [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'new@example.com' }],
    { emails: [{ ...work, value: 'new@example.com' }, home] },
  ],
  ['replace all elements', [{ op: 'replace', path: 'emails', value: [home] }], { emails: [home] }],
  // Microsoft Entra ID
  [
    'operations in another case, booleans as text',
    [{ op: 'Replace', path: 'active', value: 'False' }],
    { active: false },
  ],
  [
    'dotted names without a path',
    [{ op: 'Add', value: { 'name.familyName': 'J', active: 'True' } }],
    { name: { ...name, familyName: 'J' } },
  ],
  [
    'a derived part of an attribute is not kept',
    [
      { op: 'Replace', value: { 'name.familyName': 'J', 'name.formatted': 'Barbara J' } },
      { op: 'Replace', path: 'name.formatted', value: 'B J' },
    ],
    { name: { ...name, familyName: 'J' } },
  ],
  [
    'an element that only its filter describes',
    [{ op: 'Add', path: 'emails[type eq "other"].value', value: 'o@example.com' }],
    { emails: [work, home, { type: 'other', value: 'o@example.com' }] },
  ],
  [
    'attributes that are not kept',
    [
      { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'IT' },
      { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      { op: 'replace', value: { title: 'Dr', displayName: 'B', unknown: 1 } },
    ],
    { displayName: 'B' },
  ],
  // RFC 7643 2.5: null is an attribute without a value
  ['a path of null', [{ op: 'replace', path: null, value: { active: false } }], { active: false }],
  ['the removal of a value of null', [{ op: 'remove', path: 'emails', value: null }], { emails: [] }],
  ['no elements', [{ op: 'replace', value: { emails: null, roles: null } }], { emails: [] }],
  // Okta
  ['deactivation without a path', [{ op: 'replace', value: { active: false } }], { active: false }],
  [
    'several in order',
    [
      { op: 'replace', path: 'displayName', value: 'A' },
      { op: 'remove', path: 'displayName' },
    ],
    { displayName: null },
  ],
  ['qualified names', [{ op: 'replace', path: `${userSchema.id}:userName`, value: 'b' }], { userName: 'b' }],
] as const) {
  test(`a PATCH of a user: ${what}`, () => assert.deepEqual(changes([...operations]), expected))
}

test('members of a group are added once and removed by filter or by value', () => {
  const members = [{ value: 'a' }, { value: 'b' }, { value: 'c' }]
  const group = (operations: object[]) => patched(operations, { displayName: 'G', members }, groupSchema).members
  assert.deepEqual(group([{ op: 'add', path: 'members', value: [{ value: 'c' }, { value: 'd', display: 'D' }] }]), [
    ...members,
    { value: 'd' },
  ])
  assert.deepEqual(group([{ op: 'remove', path: 'members[value eq "b"]' }]), [{ value: 'a' }, { value: 'c' }])
  assert.deepEqual(group([{ op: 'Remove', path: 'members', value: [{ value: 'a' }, { value: 'b' }] }]), [
    { value: 'c' },
  ])
  assert.deepEqual(group([{ op: 'remove', path: 'members' }]), [])
})

for (const [operation, code] of [
  [{ op: 'move', path: 'a', value: 1 }, 'scim.invalid_syntax'],
  [{ path: 'a', value: 1 }, 'scim.invalid_syntax'],
  [{ op: 'add', path: 1, value: 1 }, 'scim.invalid_path'],
  [{ op: 'add', path: 'displayName' }, 'scim.invalid_value'],
  [{ op: 'add', value: 'x' }, 'scim.invalid_value'],
  [{ op: 'remove' }, 'scim.no_target'],
  [{ op: 'replace', path: 'nothing', value: 'x' }, 'scim.invalid_path'],
  [{ op: 'replace', path: 'name.nothing', value: 'x' }, 'scim.invalid_path'],
  [{ op: 'replace', path: 'emails[nothing eq "x"].value', value: 'x' }, 'scim.invalid_path'],
  [{ op: 'replace', path: 'emails[type eq "other"].value', value: 'x' }, 'scim.no_target'],
  [{ op: 'add', path: 'emails[type sw "o"].value', value: 'x' }, 'scim.no_target'],
  [{ op: 'replace', path: 'id', value: 'x' }, 'scim.mutability'],
  [{ op: 'replace', value: { meta: {} } }, 'scim.mutability'],
  [{ op: 'add', path: 'groups', value: [{ value: 'g' }] }, 'scim.mutability'],
  [{ op: 'replace', path: 'active', value: 'perhaps' }, 'scim.invalid_value'],
  [{ op: 'replace', path: 'displayName', value: 7 }, 'scim.invalid_value'],
  [{ op: 'replace', path: 'name', value: 'x' }, 'scim.invalid_value'],
] as const) {
  test(`a PATCH is refused: ${JSON.stringify(operation)}`, () => {
    assert.throws(() => patched([operation]), { code })
  })
}

test('a body that is no PATCH, or has too many operations, is refused', () => {
  const operations = Array.from({ length: 1001 }, () => ({ op: 'remove', path: 'displayName' }))
  for (const [body, code] of [
    [null, 'scim.invalid_syntax'],
    [{ Operations: [] }, 'scim.invalid_syntax'],
    [{ schemas, Operations: [] }, 'scim.invalid_syntax'],
    [{ schemas: ['x'], Operations: operations }, 'scim.invalid_syntax'],
    [{ schemas, Operations: operations }, 'scim.too_many'],
  ] as const) {
    assert.throws(() => parsePatch(JSON.parse(JSON.stringify(body))), { code })
  }
})

test('a PATCH of more elements than an attribute may have is refused, however they come', () => {
  const value = (count: number) => Array.from({ length: count }, (_, at) => ({ value: `${at}@example.org` }))
  for (const op of ['add', 'replace']) {
    assert.throws(() => patched([{ op, path: 'emails', value: value(101) }]), { code: 'scim.too_many' })
  }
  const more = { op: 'add', path: 'emails', value: [{ value: 'x@example.org' }] }
  assert.equal((patched([{ op: 'replace', path: 'emails', value: value(100) }]).emails as unknown[]).length, 100)
  assert.throws(() => patched([{ op: 'replace', path: 'emails', value: value(100) }, more]), { code: 'scim.too_many' })
})
