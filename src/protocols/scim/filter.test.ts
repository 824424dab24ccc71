import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuTimer } from '../../../test/support/cpu-time.ts'
import { type Filter, parseAttribute, parseFilter, parseTargetPath } from './filter.ts'

/** A filter with explicit parentheses. */
function written(filter: Filter): string {
  if ('parts' in filter) return `(${filter.parts.map(written).join(` ${filter.kind} `)})`
  if (filter.kind === 'not') return `not ${written(filter.part)}`
  const { schema, name, sub } = filter.path
  const path = `${schema === null ? '' : `${schema}:`}${name}${sub === null ? '' : `.${sub}`}`
  if (filter.kind === 'present') return `${path} pr`
  if (filter.kind === 'element') return `${path}[${written(filter.filter)}]`
  return `${path} ${filter.operator} ${JSON.stringify(filter.value)}`
}

// RFC 7644, figure 2, and the shapes that identity providers send
for (const [text, expected] of [
  ['userName eq "bjensen"', 'username eq "bjensen"'],
  [`name.familyName co "O'Malley"`, `name.familyname co "O'Malley"`],
  ['userName sw "J"', 'username sw "J"'],
  [
    'urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"',
    'urn:ietf:params:scim:schemas:core:2.0:user:username sw "J"',
  ],
  ['title pr', 'title pr'],
  ['meta.lastModified gt "2011-05-13T04:42:34Z"', 'meta.lastmodified gt "2011-05-13T04:42:34Z"'],
  ['title pr and userType eq "Employee"', '(title pr and usertype eq "Employee")'],
  ['title pr or userType eq "Intern"', '(title pr or usertype eq "Intern")'],
  [
    'schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"',
    'schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"',
  ],
  [
    'userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")',
    '(usertype eq "Employee" and (emails co "example.com" or emails.value co "example.org"))',
  ],
  [
    'userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")',
    '(usertype ne "Employee" and not (emails co "example.com" or emails.value co "example.org"))',
  ],
  ['userType eq "Employee" and (emails.type eq "work")', '(usertype eq "Employee" and emails.type eq "work")'],
  [
    'userType eq "Employee" and emails[type eq "work" and value co "@example.com"]',
    '(usertype eq "Employee" and emails[(type eq "work" and value co "@example.com")])',
  ],
  [
    'emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]',
    '(emails[(type eq "work" and value co "@example.com")] or ims[(type eq "xmpp" and value co "@foo.com")])',
  ],
  ['a eq 1 or b eq 2 and c eq 3', '(a eq 1 or (b eq 2 and c eq 3))'],
  ['not (a pr) and b pr', '(not a pr and b pr)'],
  ['ACTIVE EQ True', 'active eq true'],
  ['not eq "a"', 'not eq "a"'],
  ['a eq null', 'a eq null'],
  ['a eq -1.5', 'a eq -1.5'],
  ['a eq "q\\"\\u00e9) or ["', 'a eq "q\\"é) or ["'],
  // without quotation marks, as authentik and others write texts
  ['a eq b:c', 'a eq "b:c"'],
  ['a eq 01', 'a eq "01"'],
  ["a eq A'KELAH", `a eq "A'KELAH"`],
  ['a eq Öğüt', 'a eq "Öğüt"'],
  ['a eq 2a69c9a6-1708-45b7-acbe-a7b4c8fb102a', 'a eq "2a69c9a6-1708-45b7-acbe-a7b4c8fb102a"'],
  ['a gt 2011-05-13T04:42:34Z and b pr', '(a gt "2011-05-13T04:42:34Z" and b pr)'],
] as const) {
  test(`reads the filter ${text}`, () => assert.equal(written(parseFilter(text)), expected))
}

for (const text of [
  '',
  ' ',
  'a',
  'a eq',
  'eq "b"',
  'a eq and',
  'a xx "b"',
  'a eq "b',
  'a eq "b" and',
  'and a pr',
  '(a pr',
  'a pr)',
  'a[b pr',
  'a[]',
  'a pr b pr',
  '"a" eq "b"',
  '1a pr',
  'a.b.c pr',
  'x:a pr',
  'a eq 1e5',
  "a eq 'b'",
  'a eq “b”',
  'a[b[c pr]]',
  'not a pr',
  'a eq "\\x"',
  `${'('.repeat(12)}a pr${')'.repeat(12)}`,
  Array.from({ length: 51 }, () => 'a pr').join(' or '),
  `a eq "${'x'.repeat(4096)}"`,
]) {
  test(`refuses the filter ${text.slice(0, 60)}`, () => {
    assert.throws(() => parseFilter(text), { code: 'scim.invalid_filter' })
  })
}

test('a hostile filter of the full length is refused in linear time', () => {
  for (const text of [
    '('.repeat(4096),
    '"'.repeat(4095),
    '\\"'.repeat(2048),
    'a '.repeat(2048),
    '['.repeat(4096),
    ' '.repeat(4096),
  ]) {
    const spent = cpuTimer()
    assert.throws(() => parseFilter(text), { code: 'scim.invalid_filter' })
    assert.ok(spent() < 100)
  }
})

test('reads the target of an operation', () => {
  assert.deepEqual(parseTargetPath('name.familyName'), {
    path: { schema: null, name: 'name', sub: 'familyname' },
    filter: null,
    sub: null,
  })
  const work = parseTargetPath('emails[type eq "work"].value')
  assert.equal(work.filter === null ? '' : written(work.filter), 'type eq "work"')
  assert.deepEqual([work.path.name, work.sub], ['emails', 'value'])
  assert.equal(parseTargetPath('members[value eq "1"]').sub, null)
  assert.deepEqual(parseAttribute('urn:ietf:params:scim:schemas:core:2.0:User:name.givenName'), {
    schema: 'urn:ietf:params:scim:schemas:core:2.0:user',
    name: 'name',
    sub: 'givenname',
  })
  for (const bad of ['', 'a b', 'a[b pr].c.d', 'a[b pr]c', 'a[b pr', 'a..b', '.a', 'members[value eq]']) {
    assert.throws(() => parseTargetPath(bad), { code: 'scim.invalid_path' }, bad)
  }
})
