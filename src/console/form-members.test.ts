// Every member of a body of the API is a field of the form of the console, or is left out for a reason; and a form that
// is saved as it was opened changes nothing. So a new member cannot be forgotten.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import type { TSchema } from 'typebox'
import { OrganisationChangeBody } from '../contract/directory/organisation.ts'
import { isJsonObject } from '../crypto/json.ts'
import { BootstrapFile, readBootstrap } from '../directory/bootstrap/bootstrap-file.ts'
import { sectionsOf } from './settings/settings.ts'
import { changesOf, controlsOf, sentFrom } from './test-support/form-of.ts'
import { type Form, forms } from './test-support/forms.ts'

/** Returns the members that a schema names, as pointers with `*` for the entries of a list. */
function membersOf(schema: TSchema, at = ''): readonly string[] {
  // A schema is JSON.
  const { anyOf, properties, items } = schema as never as Readonly<Record<string, never>>
  if (anyOf !== undefined) {
    const found = (anyOf as readonly TSchema[]).filter((one) => !('type' in one) || one.type !== 'null')
    return [...new Set(found.flatMap((one) => membersOf(one, at)))]
  }
  if (properties !== undefined)
    return Object.entries(properties as Readonly<Record<string, TSchema>>).flatMap(([name, one]) =>
      membersOf(one, `${at}/${name}`),
    )
  const entry = items as TSchema | undefined
  return entry !== undefined && 'properties' in entry ? membersOf(entry, `${at}/*`) : [at]
}

/** Returns where two values differ, as such pointers. */
function differences(one: unknown, other: unknown, at = ''): readonly string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return []
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return one.flatMap((value, place) => differences(value, other[place], `${at}/*`))
  if (!isJsonObject(one) || !isJsonObject(other)) return [at]
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.flatMap((name) => differences(one[name], other[name], `${at}/${name}`))
}

function covers(changed: string, member: string): boolean {
  return changed === member || changed.startsWith(`${member}/`) || member.startsWith(`${changed}/`)
}

for (const [name, { schemas, examples, draw, send, without = {} }] of Object.entries(forms))
  suite(`the form of a ${name}`, () => {
    const members = [...new Set(schemas.flatMap((schema) => membersOf(schema)))]
    const left = Object.keys(without)

    test('has every example that is needed', () => {
      const stated = examples.flatMap((one) => differences({}, one)).concat(examples.flatMap((one) => leavesOf(one)))
      const missing = members.filter((one) => !stated.some((path) => covers(path, one)))
      assert.deepEqual(
        missing.filter((one) => !left.includes(one) && !one.includes('/future/')),
        [],
      )
    })

    for (const language of ['en', 'fr'] as const)
      test(`changes nothing when it is saved as it was opened, ${language}`, () => {
        for (const saved of examples) {
          const sent = send(sentFrom(controlsOf(draw(saved, language))))
          const { disabled: _, ...expected } = name === 'application' ? saved : { disabled: null, ...saved }
          const { disabled: __, ...found } = { disabled: null, ...sent }
          assert.deepEqual(JSON.parse(JSON.stringify(found)), expected)
        }
      })

    test('has a field for every member, or a reason', () => {
      const changed = changeableIn({ examples, draw, send })
      const without = members.filter((one) => !changed.some((path) => covers(path, one)))
      assert.deepEqual(without.toSorted(), left.toSorted())
    })
  })

/** Pointers of the members that the controls of a form change. */
function changeableIn({ examples, draw, send }: Pick<Form, 'examples' | 'draw' | 'send'>): readonly string[] {
  return examples.flatMap((saved) => {
    const controls = controlsOf(draw(saved, 'en'))
    const before = send(sentFrom(controls))
    return changesOf(controls).flatMap((other) => differences(before, send(sentFrom(other))))
  })
}

/** Pointers of everything in a value. */
function leavesOf(value: unknown, at = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, `${at}/*`))
  return isJsonObject(value) ? Object.entries(value).flatMap(([name, one]) => leavesOf(one, `${at}/${name}`)) : [at]
}

const shownSettings = Object.values(sectionsOf).flatMap((sections) =>
  sections.flatMap(([, fields]) => Object.keys(fields)),
)

test('the settings show every member of the organisation', () => {
  assert.deepEqual(shownSettings.toSorted(), Object.keys(OrganisationChangeBody.properties).toSorted())
})

/** What of a list of the bootstrap file is a form of the console. */
const formOfList: Readonly<Record<string, string>> = {
  clients: 'application',
  users: 'person',
  identityProviders: 'sign-in provider',
}
/** Members of the bootstrap file that nobody sets at the console; and why. */
const setElsewhere: Readonly<Record<string, string>> = {
  '/tenants/*/slug': 'credentials and addresses contain it, so it does not change',
  '/tenants/*/clients/*/clientId': 'the server makes it',
  '/tenants/*/clients/*/clientSecret': 'the server makes it, and tells it once',
  '/tenants/*/users/*/externalIdentifier': 'see the form of a person',
  '/tenants/*/users/*/enabled': 'see the form of a person',
  '/tenants/*/identityProviders/*/namesPeople': 'see the form of a sign-in provider',
  '/tenants/*/users/*/password': 'the person sets it, by the link of the invitation',
}

test('whatever the bootstrap file can say about an organisation can be set at the console, or has a reason', () => {
  const reached = Object.entries(formOfList).flatMap(([list, name]) =>
    changeableIn(forms[name] ?? assert.fail(name)).map((member) => `/tenants/*/${list}/*${member}`),
  )
  const settings = shownSettings.map((name) => (name === 'name' ? '/tenants/*/name' : `/tenants/*/settings/${name}`))
  const members = membersOf(BootstrapFile)
  for (const one of ['/tenants/*/settings/haip', '/tenants/*/clients/*/scopes', '/tenants/*/identityProviders/*/roles'])
    assert(members.includes(one), one)
  const missing = members.filter((one) => ![...reached, ...settings].some((other) => covers(other, one)))
  assert.deepEqual(missing.toSorted(), Object.keys(setElsewhere).toSorted())
})

test('the example of a bootstrap file can be read, and shows settings, roles and providers', () => {
  const text = readFileSync(new URL('../../docs/bootstrap.example.json', import.meta.url), 'utf8')
  const { tenants } = readBootstrap(text, { ACME_BACKEND_SECRET: 'x'.repeat(32) })
  const stated = new Set(leavesOf(tenants).map((one) => one.split('/')[2]))
  for (const name of ['settings', 'clients', 'users', 'identityProviders']) assert(stated.has(name), name)
  assert(tenants.some(({ users = [] }) => users.some(({ roles = [] }) => roles.length > 0)))
})
