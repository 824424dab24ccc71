import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { userSchema } from '../../protocols/scim/schema.ts'
import { type Directory, openDirectory } from '../test-support/directory.ts'
import { scimClient } from '../test-support/scim-client.ts'

let house: Directory
before(async () => {
  house = await openDirectory()
})
after(() => house.close())

const scim = (slug: string) => scimClient(house, slug)

const people = [
  {
    userName: 'ann',
    name: { givenName: 'Ann', familyName: "O'Malley" },
    emails: [{ value: 'ann@example.com', type: 'work' }],
  },
  {
    userName: 'bob',
    name: { givenName: 'Bob', familyName: 'Zulu' },
    emails: [{ value: 'bob@example.org', type: 'home' }],
    externalId: 'X',
  },
  { userName: 'Cät', displayName: 'Cät the 3rd', active: false },
  { userName: '100%_\\', externalId: 'x' },
]

test('every operator of a filter, over users', async () => {
  const client = scim(await house.tenant())
  for (const one of people) assert.equal((await client.addUser(one)).status, 201)
  const { id } = (await client.get('/Users?filter=userName eq "ann"')).body.Resources[0]
  for (const [filter, expected] of [
    ['userName eq "ANN"', 'ann'],
    ['userName ne "ann"', 'bob Cät 100%_\\'],
    ['userName co "O"', 'bob'],
    ['userName co "%_"', '100%_\\'],
    ['userName sw "cÄ"', 'Cät'],
    ['userName ew "\\\\"', '100%_\\'],
    ['displayName co "the 3"', 'Cät'],
    ['displayName co "omalley"', ''],
    [`name.familyName co "o'mal"`, 'ann'],
    ['name.formatted sw "bob z"', 'bob'],
    ['name.familyName pr', 'ann bob'],
    ['not (name.familyName pr)', 'Cät 100%_\\'],
    ['name.familyName eq null', 'Cät 100%_\\'],
    ['externalId eq "X"', 'bob'],
    ['active eq false', 'Cät'],
    ['active ne false and not (userName sw "a")', 'bob 100%_\\'],
    ['emails co "example.org"', 'bob'],
    ['emails[type eq "work" and value ew ".com"]', 'ann'],
    ['emails.type eq "HOME" or userName eq "ann"', 'ann bob'],
    ['userName gt "b" and userName le "bob"', 'bob'],
    ['userName ge "c"', 'Cät'],
    ['userName lt "1z"', '100%_\\'],
    [`id eq "${id}"`, 'ann'],
    [`id eq "x" or id ne "${id}" and userName co "Bo"`, 'bob'],
    ['meta.created gt "2026-01-01T00:00:00Z"', 'ann bob Cät 100%_\\'],
    ['meta.lastModified lt "2026-01-01T00:00:00.000Z"', ''],
    ['title pr', ''],
    ['title ne "x"', 'ann bob Cät 100%_\\'],
    [`schemas eq "${userSchema.id}" and ${userSchema.id}:userName eq "bob"`, 'bob'],
    ['roles.value eq "issuer"', ''],
    ['roles pr or groups pr', ''],
  ] as const) {
    const { status, body } = await client.get(`/Users?filter=${encodeURIComponent(filter)}`)
    const names = body.Resources?.map(({ userName }: { userName: string }) => userName).join(' ')
    assert.deepEqual(
      [status, names, body.totalResults],
      [200, expected, expected === '' ? 0 : expected.split(' ').length],
      filter,
    )
  }
})

for (const [filter, scimType] of [
  ['userName eq', 'invalidFilter'],
  ['nothing eq "x"', 'invalidFilter'],
  ['name.nothing pr', 'invalidFilter'],
  ['urn:other:userName eq "x"', 'invalidFilter'],
  ['active eq "x"', 'invalidFilter'],
  ['active gt true', 'invalidFilter'],
  ['userName eq 7.5', 'invalidFilter'],
  ['userName gt null', 'invalidFilter'],
  ['meta.created gt "yesterday"', 'invalidFilter'],
  ['meta.created co "2026-01-01T00:00:00Z"', 'invalidFilter'],
  ['roles co "x"', 'invalidFilter'],
  ['groups[value eq "a" and value eq "b"]', 'invalidFilter'],
  ['userName eq "\\u0000"', 'invalidFilter'],
] as const) {
  test(`the filter ${filter} is refused`, async () => {
    const { status, body } = await scim(await house.tenant()).get(`/Users?filter=${encodeURIComponent(filter)}`)
    assert.deepEqual([status, body.scimType], [400, scimType])
  })
}
