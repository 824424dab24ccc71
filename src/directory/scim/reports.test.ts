// Requests that users of identity systems report to their makers and to those of servers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Scope } from '../../caller.ts'
import { type Directory, openDirectory } from '../test-support/directory.ts'
import { scimClient } from '../test-support/scim-client.ts'

let house: Directory
before(async () => {
  house = await openDirectory()
})
after(() => house.close())

const scopes: readonly Scope[] = ['users:read', 'users:write', 'issuance:read', 'issuance:write', 'trust:read']
const aClient = async () => scimClient(house, await house.tenant(), [...scopes, 'tenant:admin'])
type Client = Awaited<ReturnType<typeof aClient>>

async function userOf(client: Client, user: object): Promise<string> {
  const { status, body } = await client.addUser(user)
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

// pond/scimitar, pull request 69: Entra ID changes the parts of a name, without the displayed name.
test('a displayed name that nobody set follows the parts of the name, and one that was set stays', async () => {
  const client = await aClient()
  const name = { givenName: 'Lerato', familyName: 'Dube' }
  const byDefault = await userOf(client, { userName: 'lerato', name })
  const set = await userOf(client, { userName: 'sipho', name, displayName: 'Dr Dube' })
  const married = [{ op: 'replace', value: { 'name.familyName': 'Khumalo' } }]
  assert.equal((await client.patch(`/Users/${byDefault}`, married)).body.displayName, 'Lerato Khumalo')
  assert.equal((await client.patch(`/Users/${set}`, married)).body.displayName, 'Dr Dube')
})
