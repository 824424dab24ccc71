// A registrar issues to a whole class in one call.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

const PATH = '/creds/credentials/issuance/batch'
const CSV = { 'content-type': 'text/csv' }

let chirograph: Deployment
let school: Api
let diploma: string

before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  diploma = await aTemplate({})
})
after(() => chirograph.stop())

let made = 0
async function aTemplate(more: object): Promise<string> {
  made += 1
  const reply = await school.post('/creds/templates/credentials', {
    ...{ name: 'Diploma', code: `diploma-${made}` },
    attributes: {
      name: { type: 'string', required: true },
      grade: { type: 'number' },
      honours: { type: 'boolean' },
      born: { type: 'date' },
      address: { type: 'object', properties: { locality: { type: 'string' }, code: { type: 'number' } } },
      nationalities: { type: 'array', items: { type: 'string' } },
      reference: { type: 'string' },
    },
    ...more,
  })
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.data.id
}

const items = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    attributes: { name: `Student ${n}`, grade: n },
    reference: `student-${n}`,
  }))

/** Waits for the end of a batch, as a caller should. */
async function ended(id: string, as = school): Promise<Reply['body']> {
  for (let tries = 0; tries < 30; tries += 1) {
    const { body, status } = await as.get(`${PATH}/${id}`, { prefer: 'wait=10' })
    assert.equal(status, 200, JSON.stringify(body))
    if (body.data.status === 'completed') return body
  }
  return assert.fail('the batch did not end')
}

async function itemsOf(id: string, query = ''): Promise<Reply['body'][]> {
  const all = []
  for (let next: string | undefined = `${PATH}/${id}/items?page[size]=100${query}`; next !== undefined; ) {
    const { body, status }: Reply = await school.get(next)
    assert.equal(status, 200, JSON.stringify(body))
    all.push(...body.data)
    next = body.links.next
  }
  return all
}

test('a batch is accepted at once, and each item becomes an offer that a wallet takes', async () => {
  const accepted = await school.post(PATH, { credentialTemplateId: diploma, items: items(260) })
  assert.equal(accepted.status, 202, JSON.stringify(accepted.body))
  const { id } = accepted.body.data
  assert.partialDeepStrictEqual(accepted.body.data, { status: 'processing', total: 260, done: 0, failed: 0 })
  assert.equal(accepted.body.links.self, `${chirograph.url}${PATH}/${id}`)
  const { data, links } = await ended(id)
  assert.partialDeepStrictEqual(data, {
    status: 'completed',
    total: 260,
    done: 260,
    failed: 0,
    credentialTemplateId: diploma,
  })
  assert.equal(data.items.length, 100)
  const all = await itemsOf(id)
  assert.deepEqual(
    all.map((one) => one.index),
    items(260).map((_, n) => n),
  )
  assert.deepEqual(
    (await school.get(links.next)).body.data.map((one: { index: number }) => one.index),
    all.slice(100, 200).map((one) => one.index),
  )
  assert.equal(new Set(all.map((one) => one.issuanceId)).size, 260)
  const [first] = all
  const issuance = await school.get(`/creds/credentials/${first.issuanceId}`)
  assert.partialDeepStrictEqual(issuance.body.data, {
    status: 'offered',
    reference: 'student-0',
    offerUri: first.offerUri,
  })
  const thandi = await chirograph.wallet('acme', 'thandi')
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: first.offerUri })
  assert.partialDeepStrictEqual(received.body.data, [{ claims: { name: 'Student 0', grade: 0 } }])
})

test('each item succeeds or fails by itself', async () => {
  const some = [
    ...items(3),
    { attributes: { grade: 'A', surprise: 1 } },
    { attributes: { name: 'Pieter', grade: '1' } },
    ...items(1),
  ]
  const { body } = await school.post(PATH, { credentialTemplateId: diploma, items: some })
  const { data } = await ended(body.data.id)
  assert.partialDeepStrictEqual(data, { total: 6, done: 4, failed: 2 })
  assert.deepEqual(
    data.items.map((one: { status: string }) => one.status),
    ['done', 'done', 'done', 'failed', 'failed', 'done'],
  )
  const [bad, other] = await itemsOf(body.data.id, '&filter[status]=failed')
  assert.partialDeepStrictEqual(bad, {
    index: 3,
    error: { code: 'VALIDATION_ERROR', detail: 'name is missing.', pointer: '/attributes/name' },
  })
  assert.equal(bad.error.violations.length, 3)
  assert.equal('issuanceId' in bad || 'offerUri' in bad, false)
  assert.partialDeepStrictEqual(other.error, { code: 'VALIDATION_ERROR', pointer: '/attributes/grade' })
})
