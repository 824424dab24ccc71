// A server is killed in the middle of its work, again and again, on the database that the run was given.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Call, type HolderKey, holderKey, keyProof } from '../../demo/foreign-wallet.ts'
import { type Json, text } from '../../demo/json.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { seededNumbers } from '../support/seed.ts'
import type { Api } from '../support/server.ts'
import { type ServerChild, serverChild } from '../support/server-child.ts'

const KILLS = 3
const ISSUANCES_AT_ONCE = 8
const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

/** The answers that a client got before the server died. */
type Known = {
  readonly id: string
  readonly offerUri: string
  readonly key: HolderKey
  token?: string
  credential?: string
}

let server: ServerChild
let templateId: string

before(async () => {
  server = await serverChild()
  templateId = (await makeTemplate(await server.backend(), 'badge')).id
})
after(() => server.remove())

test('killed in the middle of a load, the server loses no acknowledged issuance and leaves none half-issued', async () => {
  const known: Known[] = []
  const random = seededNumbers()
  for (let round = 0; round < KILLS; round += 1) {
    const school = await server.backend()
    const load = Array.from({ length: ISSUANCES_AT_ONCE }, () => issueUntilItDies(school, known))
    await new Promise((resolve) => setTimeout(resolve, 700 + random() * 600))
    await server.end('SIGKILL')
    await Promise.all(load)
    await server.start()
    await checkAll(await server.backend(), known)
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
  one.token = text(await call('POST', `${server.url}/issuers/acme/token`, { form }), 'access_token')
}

async function fetchCredential(one: Known): Promise<void> {
  const nonce = text(await call('POST', `${server.url}/issuers/acme/nonce`), 'c_nonce')
  const proofs = { jwt: [keyProof(one.key, `${server.url}/issuers/acme`, nonce)] }
  const json = { credential_configuration_id: 'badge', proofs }
  const answer = await call('POST', `${server.url}/issuers/acme/credential`, { token: one.token ?? '', json })
  one.credential = text(answer, 'credentials', 0, 'credential')
}

function statusIndexOf(credential: string): string {
  const payload = JSON.parse(Buffer.from(credential.split('.')[1] ?? '', 'base64url').toString())
  return `${payload.status.status_list.uri} ${payload.status.status_list.idx}`
}
