// A server is killed while its wallet asks a foreign issuer for a credential, on the database that the run was given.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { start } from '../../src/main.ts'
import { foreignIssuer } from '../../src/wallet/test-support/foreign-issuer.ts'
import { createDatabase, postgresUrl } from '../support/database.ts'
import { layTemplate } from '../support/embedded-template.ts'
import { freePort } from '../support/free-port.ts'
import { type Api, api, backendSecret } from '../support/server.ts'
import { startChild } from '../support/server-child.ts'
import { until } from '../support/until.ts'

const client = { client_id: 'acme-backend', client_secret: backendSecret }
const accessToken = 'urn:ietf:params:oauth:token-type:access_token'

let folder: string
let url: string
let settings: Record<string, string>

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chirograph-wallet-crash-'))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const file = join(folder, 'bootstrap.json')
  const clients = [
    { clientId: 'acme-backend', clientSecret: backendSecret, scopes: ['tenant:admin', 'users:impersonate'] },
  ]
  const users = [{ username: 'thandi', email: 'thandi@example.org', enabled: true }]
  writeFileSync(file, JSON.stringify({ tenants: [{ slug: 'acme', name: 'Acme', clients, users }] }))
  const database = postgresUrl === null ? {} : { DATABASE_URL: await createDatabase(postgresUrl) }
  if (postgresUrl === null) await layTemplate(join(folder, 'data'))
  settings = {
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: join(folder, 'data'),
    BOOTSTRAP_FILE: file,
    LOG_LEVEL: 'error',
    ...database,
  }
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('killed between redeeming an offer and keeping the credential, a wallet gets it after the restart, once', async () => {
  const server = await startChild(url, settings)
  const issuer = await foreignIssuer({ batchSize: 2 })
  const gone = new Promise((resolve) => server.once('exit', resolve))
  issuer.lie({
    reply: {
      credential: async (reply, { n }) => {
        // the issuer has issued the credential, and no process receives it
        if (n === 1) server.kill('SIGKILL')
        if (n === 1) await gone
        return reply
      },
    },
  })
  try {
    const wallet = await thandi()
    await assert.rejects(wallet.post('/wallet/v2/credentials', { credentialOffer: issuer.offerUri }))
    await gone
    // the clock is ahead, so that the lease of the call that died has expired
    const restarted = await start(settings, { clock: { now: () => new Date(Date.now() + 95_000) } })
    try {
      const [credential, ...others] = await heldBy(await thandi())
      assert.equal(credential?.status, 'pending')
      assert.equal(others.length, 0)
      assert.equal(issuer.calls.filter(({ place }) => place === 'token').length, 1)
      assert.equal(new Set(issuer.proved.map((key) => key.x)).size, 2, 'the keys were not those of the first time')
    } finally {
      await restarted.stop()
    }
  } finally {
    await issuer.close()
  }
})

function heldBy(wallet: Api): Promise<{ status: string }[]> {
  return until(async () => {
    const { status, body } = await wallet.get('/wallet/v2/credentials')
    assert.equal(status, 200)
    return body.data.length > 0 && body.data
  })
}

async function thandi(): Promise<Api> {
  const { body } = await api(url, null).form('/auth/token', { grant_type: 'client_credentials', ...client })
  const exchange = { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', requested_subject: 'thandi' }
  const subject = { subject_token: body.access_token, subject_token_type: accessToken }
  const exchanged = await api(url, null).form('/auth/token', { ...exchange, ...subject, ...client })
  assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body))
  return api(url, exchanged.body.access_token)
}
