import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { Caller } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { applyBootstrap } from '../bootstrap/apply-bootstrap.ts'
import { readBootstrap } from '../bootstrap/bootstrap-file.ts'
import { getTenant } from '../tenants/find-tenant.ts'
import type { Client } from './client.ts'
import { hasMadeSecret, makeClientSecret, slowHashOf } from './client-secret.ts'
import { findClient } from './find-client.ts'
import { getClient, removeClientSecret, rotateClientSecret } from './manage-clients.ts'
import { noteClientUse } from './note-client-use.ts'

const secret = 'a-secret-of-at-least-32-characters'
let db: TestDatabase
let platform: Platform
let shiftSeconds = 0
const now = () => new Date(Date.parse('2026-05-01T12:00:00.000Z') + shiftSeconds * 1000)
before(async () => {
  db = await openTestDatabase()
  platform = platformOn({ store: db.store, clock: { now } })
})
after(() => db.close())

async function aClient() {
  const slug = `t-${newId()}`
  const clientId = `client-of-${slug}`
  const apply = (clientSecret: string) =>
    applyBootstrap(platform, { tenants: [{ slug, name: 'Acme', clients: [{ clientId, clientSecret, scopes: [] }] }] })
  await apply(secret)
  const { id: tenantId } = await getTenant(platform, slug)
  const actor = { kind: 'client', id: 'admin' } as const
  const rest = { userId: null, clientId: 'admin', actingClientId: null, requestId: 'r', ip: '127.0.0.1' }
  const caller: Caller = { tenantId, tenantSlug: slug, actor, scopes: new Set(['tenant:admin'] as const), ...rest }
  const find = async (): Promise<Client> => {
    const found = await findClient(platform, clientId)
    assert(found !== null)
    return found
  }
  return { clientId, caller, apply, find }
}

test('the last use is written once in five minutes, however often the client authenticates', async () => {
  const { find } = await aClient()
  const writes = async () => {
    const client = await find()
    const before = db.store.counts.statements
    await noteClientUse(platform, client)
    return db.store.counts.statements - before
  }
  assert.deepEqual([await writes(), await writes(), await writes()], [1, 0, 0])
  shiftSeconds += 299
  assert.equal(await writes(), 0)
  shiftSeconds += 2
  assert.deepEqual([await writes(), await writes()], [1, 0])
  assert.deepEqual((await find()).lastUsedAt, now())
})

test('a secret of the file that was ended stays ended when the file is applied again; another one begins', async () => {
  const { clientId, caller, apply, find } = await aClient()
  const [fromFile] = (await getClient(platform, caller, clientId)).secrets
  await removeClientSecret(platform, caller, clientId, fromFile?.id ?? '')
  assert.deepEqual(await apply(secret), { created: 0, changed: 0 })
  assert.equal(slowHashOf(await find(), now()), null)
  assert.deepEqual(await apply(`${secret}-another`), { created: 0, changed: 1 })
  assert.notEqual(slowHashOf(await find(), now()), null)
})

test('the secret of the file ends a day after the first rotation, and a made one is valid from then on', async () => {
  const { clientId, caller, find } = await aClient()
  const { secret: made } = await rotateClientSecret(platform, caller, clientId)
  assert(made !== null && hasMadeSecret(await find(), made, now()))
  assert(!hasMadeSecret(await find(), makeClientSecret().text, now()))
  shiftSeconds += 86_399
  assert.notEqual(slowHashOf(await find(), now()), null)
  shiftSeconds += 1
  assert.equal(slowHashOf(await find(), now()), null)
  assert(hasMadeSecret(await find(), made, now()))
})

test('a bootstrap file declares no secret in the form of those of the server, and no unsafe redirect URI', () => {
  const file = (client: object) =>
    JSON.stringify({ tenants: [{ slug: 'acme', name: 'Acme', clients: [{ clientId: 'c', scopes: [], ...client }] }] })
  const mistakesOf = (client: object) => {
    try {
      readBootstrap(file(client), {})
      return ''
    } catch (error) {
      return String(error)
    }
  }
  assert.match(mistakesOf({ clientSecret: makeClientSecret().text }), /clientSecret: must not be/)
  const app = { isPublic: true, redirectUris: ['javascript:alert(1)'] }
  assert.match(mistakesOf(app), /\/tenants\/0\/clients\/0\/redirectUris\/0: Must be https/)
  assert.equal(mistakesOf({ ...app, redirectUris: ['com.example.app:/cb'] }), '')
})
