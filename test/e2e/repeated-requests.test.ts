// Who got no answer sends the request again: with the same Idempotency-Key it is done once, whatever happened to the
// server meanwhile.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeEverything, makeTemplate } from '../support/main-job.ts'
import { type Api, deploy, type Reply } from '../support/server.ts'
import { type ServerChild, serverChild } from '../support/server-child.ts'

const ends: (() => Promise<void>)[] = []
after(async () => {
  for (const end of ends) await end()
})

const withKey = (key: string) => ({ 'idempotency-key': key })

async function countOf(school: Api, reference: string): Promise<number> {
  const { body } = await school.get(`/creds/credentials?filter[reference]=${reference}`)
  return body.data.length
}

test('concurrent requests with one idempotency key get one answer from both servers; without a key each gets its own', async () => {
  const chirograph = await deploy()
  ends.push(chirograph.stop)
  const school = await chirograph.backend('acme')
  const { id } = await makeTemplate(school, 'parallel')
  const ask = { credentialTemplateId: id, attributes: { name: 'Thandi' }, reference: 'parallel' }
  const all = await Promise.all(
    Array.from({ length: 12 }, () => school.post('/creds/credentials/issuance', ask, withKey('one'))),
  )
  assert.deepEqual(
    all.map((one) => one.status),
    all.map(() => 200),
  )
  assert.equal(new Set(all.map((one) => JSON.stringify(one.body))).size, 1)
  assert.equal(all.filter((one) => one.headers.get('idempotency-replayed') === 'true').length, 11)
  assert.equal(await countOf(school, 'parallel'), 1)
  const other = await school.post('/creds/credentials/issuance', { ...ask, reference: 'other' }, withKey('one'))
  assert.deepEqual([other.status, other.body.errors[0].code], [409, 'IDEMPOTENCY_MISMATCH'])
  await school.post('/creds/credentials/issuance', ask)
  assert.equal(await countOf(school, 'parallel'), 2)
})

test('each POST that makes something makes it once', async () => {
  const chirograph = await deploy()
  ends.push(chirograph.stop)
  const objects = await makeEverything(chirograph)
  const school = await chirograph.backend('acme')
  const credentials = [{ type: 'https://example.org/badge', attributes: { name: {} } }]
  const csr = { type: 'verifierSignRequest', keyType: 'Ed25519', countryName: 'ZA' }
  const url = 'https://college.example'
  for (const [path, body] of [
    ['/creds/templates/credentials', { name: 'Badge', code: 'once', attributes: { name: { type: 'string' } } }],
    ['/creds/templates/presentations', { name: 'Who', description: 'Name', credentials }],
    ['/creds/presentations/request', { presentationTemplateId: objects['/creds/templates/presentations'] }],
    ['/creds/trusted-entities', { name: 'Registrar', dids: [{ did: 'did:web:uc.example' }] }],
    ['/creds/certificates', { ...csr, type: 'issuerRoot', issuerAlternativeNameUrl: url }],
    ['/creds/certificates/csrs', csr],
    [`/creds/certificates/${objects['/creds/certificates']}/sign`, { csrId: objects['/creds/certificates/csrs'] }],
    [`/creds/certificates/${objects['/creds/certificates']}/deactivate`, undefined],
  ] as const) {
    const first = await school.post(path, body, withKey('each'.concat(path)))
    assert(first.status < 300, `${path}: ${JSON.stringify(first.body)}`)
    const again = await school.post(path, body, withKey('each'.concat(path)))
    assert.deepEqual([again.status, again.body], [first.status, first.body], path)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'))
  }
})

test('killed in the middle, the server makes nothing twice and loses nothing when the requests come again', async () => {
  const server = await serverChild()
  ends.push(server.remove)
  const school = await server.backend()
  const txCode = { inputMode: 'numeric', length: 6 }
  const made = await school.post('/creds/templates/credentials', {
    name: 'Badge',
    code: 'killed',
    attributes: { name: { type: 'string' } },
    txCode,
  })
  const credentialTemplateId: string = made.body.data.id
  const answered = new Map<string, Reply>()
  const asks = Array.from({ length: 60 }, (_, n) => `r${n}`)
  const post = (api: Api, reference: string) =>
    api.post(
      '/creds/credentials/issuance',
      { credentialTemplateId, attributes: { name: 'T' }, reference },
      withKey(reference),
    )
  const load = Promise.all(
    asks.map(async (reference, n) => {
      await new Promise((resolve) => setTimeout(resolve, n * 4))
      const reply = await post(school, reference).catch(() => null)
      if (reply !== null && reply.status === 200) answered.set(reference, reply)
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 150))
  await server.end('SIGKILL')
  await load
  await server.start()
  await repeatAll(server, asks, post, answered)
})

/** After a crash a request that was at work is let go when its lease is over. */
async function repeatAll(
  server: ServerChild,
  asks: readonly string[],
  post: (api: Api, reference: string) => Promise<Reply>,
  answered: ReadonlyMap<string, Reply>,
): Promise<void> {
  const school = await server.backend()
  const deadline = Date.now() + 40_000
  await Promise.all(
    asks.map(async (reference) => {
      let reply = await post(school, reference)
      while (reply.status === 409 && Date.now() < deadline) {
        assert.equal(reply.headers.get('retry-after'), '1')
        await new Promise((resolve) => setTimeout(resolve, 1000))
        reply = await post(school, reference)
      }
      assert.equal(reply.status, 200, JSON.stringify(reply.body))
      assert.match(reply.body.data.txCode, /^\d{6}$/)
      const first = answered.get(reference)
      if (first !== undefined) assert.deepEqual(reply.body, first.body)
      assert.equal(await countOf(school, reference), 1)
    }),
  )
}
