// A server is killed while it delivers, on the database that the run was given: at an issuer of its own, and at a
// foreign one.
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { start } from '../../src/main.ts'
import { foreignIssuer } from '../../src/wallet/test-support/foreign-issuer.ts'
import { createDatabase, postgresUrl } from '../support/database.ts'
import { layTemplate } from '../support/embedded-template.ts'
import { freePort } from '../support/free-port.ts'
import { badge } from '../support/main-job.ts'
import { type Api, api, backendSecret, type Reply } from '../support/server.ts'
import { startChild } from '../support/server-child.ts'
import { until } from '../support/until.ts'

const client = { client_id: 'acme-backend', client_secret: backendSecret }
const PEOPLE = 12

let folder: string
let url: string
let settings: Record<string, string>

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chirograph-delivery-crash-'))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const file = join(folder, 'bootstrap.json')
  const clients = [
    { clientId: 'acme-backend', clientSecret: backendSecret, scopes: ['tenant:admin', 'users:impersonate'] },
  ]
  const users = Array.from({ length: PEOPLE }, (_, n) => ({ username: `person-${n}`, enabled: true }))
  writeFileSync(file, JSON.stringify({ tenants: [{ slug: 'acme', name: 'Acme', clients, users }] }))
  const database = postgresUrl === null ? {} : { DATABASE_URL: await createDatabase(postgresUrl) }
  if (postgresUrl === null) await layTemplate(join(folder, 'data'))
  const place = { PORT: String(port), PUBLIC_URL: url, DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: file }
  settings = { ...place, LOG_LEVEL: 'error', ...database }
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('killed while it issues to twelve people, a server delivers to each of them once after the restart', async () => {
  const server = await startChild(url, settings)
  const school = await backend()
  const template = await school.post('/creds/templates/credentials', { ...badge, code: `badge-${randomUUID()}` })
  const issue = (n: number): Promise<Reply | null> => {
    const recipient = { identifierType: 'username', value: `person-${n}` }
    const ask = { credentialTemplateId: template.body.data.id, attributes: { name: `Person ${n}` }, recipient }
    const key = { 'idempotency-key': `issue-${n}` }
    return school.post('/creds/credentials/issuance', ask, key).catch(() => null)
  }
  const calls = Array.from({ length: PEOPLE }, (_, n) => issue(n))
  // some are through, some on their way, some have not begun
  await calls[0]
  await kill(server)
  await Promise.all(calls)
  // the clock is ahead, so that the leases of the calls that died have expired
  const restarted = await startAhead(125)
  try {
    const again = await backend()
    const deliveries = await settled(again, 1)
    assert.deepEqual(
      new Set(deliveries.map(({ status }) => status)),
      new Set(['delivered']),
      JSON.stringify(deliveries),
    )
    const keyed = await Promise.all(
      Array.from({ length: PEOPLE }, (_, n) => {
        const recipient = { identifierType: 'username', value: `person-${n}` }
        const ask = { credentialTemplateId: template.body.data.id, attributes: { name: `Person ${n}` }, recipient }
        return again.post('/creds/credentials/issuance', ask, { 'idempotency-key': `issue-${n}` })
      }),
    )
    for (const { status, body } of keyed) assert.equal(status, 200, JSON.stringify(body))
    const all = await settled(again, PEOPLE)
    assert.equal(all.length, PEOPLE, 'a repeated call was delivered twice')
    for (const one of all) assert.deepEqual([one.status, one.credentialIds.length], ['delivered', 1])
    const issued = await again.get('/creds/credentials/issuance?page[size]=100')
    assert.deepEqual(new Set(issued.body.data.map(({ status }: { status: string }) => status)), new Set(['completed']))
    assert.equal(issued.body.data.length, PEOPLE)
  } finally {
    await restarted.stop()
  }
})

test('killed while a foreign issuer makes the credential, a server completes the delivery after the restart, once', async () => {
  const server = await startChild(url, settings)
  const issuer = await foreignIssuer({ batchSize: 2 })
  let killed: Promise<void> | null = null
  issuer.lie({
    reply: {
      credential: async (reply) => {
        killed ??= kill(server)
        await killed
        return reply
      },
    },
  })
  try {
    const body = { credentialOffer: issuer.offerUri, recipient: 'person-0', identifierType: 'username' }
    await assert.rejects((await backend()).post('/wallet/v2/orgs/credentials', body))
    await killed
    // further than the last time, or the sweeps would not be due yet
    const restarted = await startAhead(300)
    try {
      const school = await backend()
      const deliveries = await settled(school, PEOPLE + 1)
      const [ours, ...others] = deliveries.filter((one) => one.issuanceId === undefined)
      assert.equal(others.length, 0)
      assert.deepEqual([ours?.status, ours?.credentialIds.length], ['delivered', 1])
      assert.equal(issuer.calls.filter(({ place }) => place === 'token').length, 1)
      assert.equal(new Set(issuer.proved.map((key) => key.x)).size, 2, 'the keys were not those of the first time')
    } finally {
      await restarted.stop()
    }
  } finally {
    await issuer.close()
  }
})

type Shown = { status: string; credentialIds: string[]; issuanceId?: string }

/** The deliveries, as soon as there are so many and none is at work. */
function settled(school: Api, countMin: number): Promise<Shown[]> {
  return until(async () => {
    const { body } = await school.get('/wallet/v2/orgs/deliveries?page[size]=100')
    const isOver = body.data.every(({ status }: Shown) => status !== 'delivering')
    return isOver && body.data.length >= countMin && body.data
  })
}

async function backend(): Promise<Api> {
  const { body } = await api(url, null).form('/auth/token', { grant_type: 'client_credentials', ...client })
  return api(url, body.access_token)
}

function startAhead(seconds: number) {
  return start(settings, { clock: { now: () => new Date(Date.now() + seconds * 1000) } })
}

async function kill(server: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGKILL')
  await gone
}
