// A server is killed in the middle of its work, again and again, on the database that the run was given.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Call, type HolderKey, holderKey, keyProof } from '../../demo/foreign-wallet.ts'
import { type Json, text } from '../../demo/json.ts'
import { createDatabase, postgresUrl } from '../support/database.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { freePort } from '../support/round-robin.ts'
import { type Api, api, backendSecret } from '../support/server.ts'

const KILLS = 3
const ISSUANCES_AT_ONCE = 8
const entry = fileURLToPath(new URL('../../bin/chirograph.js', import.meta.url))
const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

/** What a client was told before the server died. */
type Known = {
  readonly id: string
  readonly offerUri: string
  readonly key: HolderKey
  token?: string
  credential?: string
}

let folder: string
let url: string
let settings: Record<string, string>
let server: ChildProcess
let templateId: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chirograph-crash-'))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const file = join(folder, 'bootstrap.json')
  const clients = [{ clientId: 'acme-backend', clientSecret: backendSecret, scopes: ['tenant:admin'] }]
  writeFileSync(file, JSON.stringify({ tenants: [{ slug: 'acme', name: 'Acme', clients }] }))
  const database = postgresUrl === null ? {} : { DATABASE_URL: await createDatabase(postgresUrl) }
  settings = {
    PORT: String(port),
    PUBLIC_URL: url,
    DATA_DIR: join(folder, 'data'),
    BOOTSTRAP_FILE: file,
    LOG_LEVEL: 'error',
    ...database,
  }
  await startServer()
  templateId = (await makeTemplate(await backend(), 'badge')).id
})
after(async () => {
  await kill()
  rmSync(folder, { recursive: true, force: true })
})

test('killed in the middle of a load, the server loses no acknowledged issuance and leaves none half-issued', async () => {
  const known: Known[] = []
  for (let round = 0; round < KILLS; round += 1) {
    const school = await backend()
    const load = Array.from({ length: ISSUANCES_AT_ONCE }, () => issueUntilItDies(school, known))
    await new Promise((resolve) => setTimeout(resolve, 700 + Math.random() * 600))
    await kill()
    await Promise.all(load)
    await startServer()
    await checkAll(await backend(), known)
  }
  assert(known.filter((one) => one.credential !== undefined).length > KILLS, 'too little happened to prove anything')
  const slots = known.flatMap((one) => (one.credential === undefined ? [] : [statusIndexOf(one.credential)]))
  assert.equal(new Set(slots).size, slots.length, 'two credentials share an entry of the status list')
})

/** Issues one after the other until the connection breaks; notes each answer at once. */
async function issueUntilItDies(school: Api, known: Known[]): Promise<void> {
  const key = holderKey()
  try {
    for (;;) {
      const { id, offerUri } = await openIssuance(school, templateId)
      const one: Known = { id, offerUri, key }
      known.push(one)
      await redeem(one)
      await fetchCredential(one)
    }
  } catch (error) {
    if (!(error instanceof TypeError || (error instanceof Error && error.message === 'gone'))) throw error
  }
}

/** After the restart: what was acknowledged is there, and what was not can be finished or is untouched. */
async function checkAll(school: Api, known: readonly Known[]): Promise<void> {
  for (const one of known) {
    const found = await school.get(`/creds/credentials/${one.id}`)
    assert.equal(found.status, 200, 'an acknowledged issuance is gone')
    const { status } = found.body.data
    if (one.credential !== undefined) {
      assert.equal(status, 'completed', 'an acknowledged credential is not recorded')
    } else if (one.token !== undefined) {
      await fetchCredential(one)
      assert.equal((await school.get(`/creds/credentials/${one.id}`)).body.data.status, 'completed')
    } else {
      // Nothing was handed out: either the code is as good as before, or its one use was lost with the answer.
      assert.equal(status, 'offered')
      const again = await redeem(one).then(
        () => true,
        () => false,
      )
      if (again) await fetchCredential(one)
    }
  }
}

const call: Call = async (method, address, { form, json, token } = {}) => {
  const answer = await fetch(address, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(form !== undefined && { body: new URLSearchParams(form) }),
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  if (!answer.ok) throw new Error(`${method} ${new URL(address).pathname}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Json
}

async function redeem(one: Known): Promise<void> {
  const offer = await call('GET', new URL(one.offerUri).searchParams.get('credential_offer_uri') ?? '')
  const form = { grant_type: grant, 'pre-authorized_code': text(offer, 'grants', grant, 'pre-authorized_code') }
  one.token = text(await call('POST', `${url}/issuers/acme/token`, { form }), 'access_token')
}

async function fetchCredential(one: Known): Promise<void> {
  const nonce = text(await call('POST', `${url}/issuers/acme/nonce`), 'c_nonce')
  const proofs = { jwt: [keyProof(one.key, `${url}/issuers/acme`, nonce)] }
  const json = { credential_configuration_id: 'badge', proofs }
  const answer = await call('POST', `${url}/issuers/acme/credential`, { token: one.token ?? '', json })
  one.credential = text(answer, 'credentials', 0, 'credential')
}

function statusIndexOf(credential: string): string {
  const payload = JSON.parse(Buffer.from(credential.split('.')[1] ?? '', 'base64url').toString())
  return `${payload.status.status_list.uri} ${payload.status.status_list.idx}`
}

async function backend(): Promise<Api> {
  const form = { grant_type: 'client_credentials', client_id: 'acme-backend', client_secret: backendSecret }
  const { body } = await api(url, null).form('/auth/token', form)
  const known = api(url, body.access_token)
  // A dead server is no wrong answer.
  return { ...known, post: (...ask) => known.post(...ask).catch(() => Promise.reject(new Error('gone'))) }
}

async function startServer(): Promise<void> {
  const { PATH = '', HOME = '' } = process.env
  server = spawn(process.execPath, [entry, 'serve'], {
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  for (let tries = 0; tries < 600; tries += 1) {
    if (
      await fetch(`${url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return
    assert.equal(server.exitCode, null, 'the server ended instead of starting')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.fail('the server did not become ready')
}

async function kill(): Promise<void> {
  const gone = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGKILL')
  await gone
}
