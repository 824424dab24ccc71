// A registrar issues to a whole class in one call.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aBatchTemplate } from '../support/batch-template.ts'
import { type Api, api, type Deployment, deploy, type Reply } from '../support/server.ts'

const PATH = '/creds/credentials/issuance/batch'
const CSV = { 'content-type': 'text/csv' }

let chirograph: Deployment
let school: Api
let diploma: string

before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  diploma = await aBatchTemplate(school)
})
after(() => chirograph.stop())

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

test('a table does as well: columns are typed by the template, empty cells are left out', async () => {
  const table = [
    'name,grade,honours,born,address.locality,"address.code",nationalities,reference,attributes.reference',
    '"Molefe, Thandi",78.5,true,1999-12-31,Pretoria,1,"[""ZA"",""NA""]",student-1,R1',
    'Pieter,,,,,,,,',
    'Zanele,high,,,,,,student-3,',
    ',1,,,,,,,',
  ]
  const path = `${PATH}?credentialTemplateId=${diploma}&expiresInSeconds=600`
  const accepted = await school.send('POST', path, `${table.join('\r\n')}\r\n`, CSV)
  assert.equal(accepted.status, 202, JSON.stringify(accepted.body))
  const { data } = await ended(accepted.body.data.id)
  assert.partialDeepStrictEqual(data, { total: 4, done: 2, failed: 2 })
  assert.partialDeepStrictEqual(data.items, [
    { index: 0, row: 2, status: 'done', reference: 'student-1' },
    { index: 1, row: 3, status: 'done' },
    { row: 4, status: 'failed', reference: 'student-3', error: { column: 'grade', pointer: '/attributes/grade' } },
    { row: 5, status: 'failed', error: { column: 'name', detail: 'name is missing.' } },
  ])
  const thandi = await chirograph.wallet('acme', 'thandi')
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: data.items[0].offerUri })
  assert.deepEqual(received.body.data[0].claims, {
    name: 'Molefe, Thandi',
    grade: 78.5,
    honours: true,
    born: '1999-12-31',
    reference: 'R1',
    address: { locality: 'Pretoria', code: 1 },
    nationalities: ['ZA', 'NA'],
  })
  const issuance = await school.get(`/creds/credentials/${data.items[1].issuanceId}`)
  const { updatedAt, expiresAt } = issuance.body.data
  // The end of an offer is decided before the step that records it.
  const ms = Date.parse(expiresAt) - Date.parse(updatedAt)
  assert(ms > 590_000 && ms <= 600_000, `${ms} ms`)
})

test('a body that is not the shape is refused as a whole, and nothing is made of it', async () => {
  const before = (await school.get(`${PATH}?page[size]=100`)).body.data.length
  const item = { attributes: { name: 'A' } }
  const ask = (body: object) => school.post(PATH, { credentialTemplateId: diploma, ...body })
  for (const [reply, status, pointer] of [
    [await ask({ items: [] }), 400, '/items'],
    [await ask({ items: Array(1001).fill(item) }), 400, '/items'],
    [await ask({}), 400, '/items'],
    [await ask({ items: [item, { attributes: 'A' }] }), 400, '/items/1/attributes'],
    [await ask({ items: [{ ...item, surprise: 1 }] }), 400, '/items/0/surprise'],
    [await ask({ items: [{ ...item, reference: '' }] }), 400, '/items/0/reference'],
    [await ask({ items: [{ ...item, recipient: { value: 'x' } }] }), 400, '/items/0/recipient/identifierType'],
    [await ask({ items: [item], expiresInSeconds: 1 }), 400, '/expiresInSeconds'],
    [await ask({ items: [item], credentialTemplateId: '01890000-0000-7000-8000-000000000000' }), 404, undefined],
    [await ask({ items: [{ attributes: { name: 'A'.repeat(8_388_608) } }] }), 413, undefined],
  ] as const) {
    assert.equal(reply.status, status, JSON.stringify(reply.body))
    assert.equal(reply.body.errors[0].source?.pointer, pointer, JSON.stringify(reply.body))
  }
  const table = (text: string, query = `?credentialTemplateId=${diploma}`) =>
    school.send('POST', PATH + query, text, CSV)
  for (const [reply, detail] of [
    [await table('name\nA', ''), /credentialTemplateId is missing/],
    [
      await table('name\nA', `?credentialTemplateId=${diploma}&expiresInSeconds=1`),
      /expiresInSeconds must be between 60 and/,
    ],
    [await table('name\n'), /a header and at least one row/],
    [await table(`name\n${'A\n'.repeat(10_001)}`), /10000 rows/],
    [await table('name,surname\nA,B'), /Row 1, column 2: "surname" is neither an attribute/],
    [await table('name,name\nA,B'), /Row 1, column 2: "name" is a duplicate/],
    [await table('name,attributes.name\nA,B'), /two columns name the same attribute/],
    [await table('name,address,address.locality\nA,{},B'), /"address.locality" is part of "address"/],
    [await table('name,grade\nA,1\nB'), /Row 3 has 1 fields, the header 2/],
    [await table('name\nA"B'), /Row 2, column 1: a quote/],
    [await table('name\n"AB'), /Row 2, column 1: the closing quote is missing/],
    [await table('name\n"A"B'), /Row 2, column 1: characters follow/],
    [await table(`name,reference\nA,${'r'.repeat(201)}`), /Row 2, column 2: reference must have at most 200/],
    [await table('name,recipient.value\nA,B'), /must both be present/],
    [
      await table('name,recipient.value,recipient.identifierType\nA,B,phone'),
      /Row 2: recipient.identifierType must be one of/,
    ],
  ] as const) {
    assert.equal(reply.status, 400, JSON.stringify(reply.body))
    assert.match(reply.body.errors[0].detail, detail)
  }
  const misplaced = await school.post(`${PATH}?credentialTemplateId=${diploma}`, {
    credentialTemplateId: diploma,
    items: [item],
  })
  assert.equal(misplaced.body.errors[0].source.parameter, 'credentialTemplateId')
  assert.equal((await school.get(`${PATH}?page[size]=100`)).body.data.length, before)
})

test('transaction codes are shown to clients with issuance:write only', async () => {
  const credentialTemplateId = await aBatchTemplate(school, { txCode: { length: 8 } })
  const { body } = await school.post(PATH, { credentialTemplateId, items: items(2) })
  const { data } = await ended(body.data.id)
  const [one, other] = data.items
  assert.match(one.txCode, /^\d{8}$/)
  assert.notEqual(one.txCode, other.txCode)
  const thandi = await chirograph.wallet('acme', 'thandi')
  const wrong = await thandi.post('/wallet/v2/credentials', { credentialOffer: one.offerUri, txCode: other.txCode })
  assert.equal(wrong.status, 422)
  const right = await thandi.post('/wallet/v2/credentials', { credentialOffer: one.offerUri, txCode: one.txCode })
  assert.equal(right.status, 201, JSON.stringify(right.body))
  const after = (await school.get(`${PATH}/${body.data.id}`)).body.data.items
  assert.equal('txCode' in after[0], false, 'it is used up')
  assert.equal(after[1].txCode, other.txCode)
})

test('an item with a recipient is delivered to the wallet of that user; an unknown recipient fails its own item only', async () => {
  const to = (value: string) => ({ recipient: { identifierType: 'username', value } })
  const [a, b, c, d] = items(4)
  const some = [
    { ...a, ...to('pieter') },
    { ...b, ...to('nobody') },
    { ...c, ...to('gone') },
    { ...d, ...to('pieter') },
  ]
  const { body } = await school.post(PATH, { credentialTemplateId: diploma, items: some })
  const { data } = await ended(body.data.id)
  assert.partialDeepStrictEqual(data, { done: 2, failed: 2 })
  assert.partialDeepStrictEqual(data.items[1].error, { code: 'NOT_FOUND', pointer: '/recipient/value' })
  assert.equal(data.items[2].error.code, 'INVALID_STATE')
  const pieter = await chirograph.wallet('acme', 'pieter')
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await pieter.get('/wallet/v2/credentials')).body.data.length === 2) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const held = (await pieter.get('/wallet/v2/credentials')).body.data
  assert.deepEqual(held.map((one: { claims: { name: string } }) => one.claims.name).sort(), ['Student 0', 'Student 3'])
  assert.equal(held[0].status, 'pending')
  const delivery = await school.get(`/wallet/v2/orgs/deliveries/${data.items[0].deliveryId}`)
  assert.partialDeepStrictEqual(delivery.body.data, { status: 'delivered', issuanceId: data.items[0].issuanceId })
  // The organisation finds them under the person, as it does with issuances that it delivers one by one.
  const found = (await school.get('/creds/credentials/issuance?filter[recipient]=pieter')).body.data
  const delivered = [data.items[3].issuanceId, data.items[0].issuanceId].toSorted().toReversed()
  assert.deepEqual(
    found.map((one: { id: string }) => one.id),
    delivered,
  )
  const { userId } = delivery.body.data
  for (const { recipient } of found) assert.deepEqual(recipient, { userId, username: 'pieter' })
})

test('a caller other than its creator who sees its offer links is in the audit trail', async () => {
  const { body } = await school.post(PATH, { credentialTemplateId: diploma, items: items(1) })
  const { id } = (await ended(body.data.id)).data
  const clerk = await aClient(['issuance:read', 'issuance:write'])
  const reader = await aClient(['issuance:read'])
  const read = { accept: 'text/csv' }
  for (const one of [school, reader]) assert.equal((await one.get(`${PATH}/${id}/items`, read)).status, 200)
  const looks = async () => {
    const { data } = (await school.get('/creds/audit?filter[action]=issuance.offer_viewed&page[size]=100')).body
    return data.filter((one: Reply['body']) => one.subject.id === id)
  }
  assert.deepEqual(await looks(), [])
  for (const path of [`${PATH}/${id}/items`, `${PATH}/${id}`]) assert.equal((await clerk.get(path)).status, 200)
  assert.equal((await clerk.get(`${PATH}/${id}/items`, read)).status, 200)
  const found = await looks()
  // Each of the servers may record it once.
  assert.ok(found.length === 1 || found.length === 2, JSON.stringify(found))
  for (const { actor } of found) assert.equal(actor.kind, 'client')
})

/** A token of a new client that has these scopes. */
async function aClient(scopes: readonly string[]): Promise<Api> {
  const made = await school.post('/onboarding/clients', { name: 'Clerk', scopes })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { clientId, clientSecret } = made.body.data
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const { body } = await chirograph.nobody.form('/auth/token', form)
  return api(chirograph.url, body.access_token)
}

test('its progress is streamed until it has ended', async () => {
  // One item in 50 has a recipient, which makes the steps small: each statement of the request waits for one of 20
  // steps at most, so the stream opens long before the end.
  const recipient = { identifierType: 'username', value: 'nobody' }
  const some = items(1000).map((item, n) => (n % 50 === 0 ? { ...item, recipient } : item))
  const { body } = await school.post(PATH, { credentialTemplateId: diploma, items: some })
  const answer = await fetch(`${chirograph.url}${PATH}/${body.data.id}`, {
    headers: { authorization: `Bearer ${school.token}`, accept: 'text/event-stream' },
  })
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/event-stream'])
  const frames = (await answer.text()).split('\n\n').filter((one) => one.startsWith('event: progress\ndata: '))
  const states = frames.map((one) => JSON.parse(one.slice('event: progress\ndata: '.length)))
  assert.partialDeepStrictEqual(states.at(-1), {
    id: body.data.id,
    status: 'completed',
    total: 1000,
    done: 980,
    failed: 20,
  })
  const seen = states.map((one) => one.done)
  assert.ok(seen.length > 1, 'only the end was streamed')
  console.log(seen)
  assert.deepEqual(
    seen,
    seen.toSorted((x, y) => x - y),
  )
})

test('another tenant sees nothing of it and issues nothing from its template', async () => {
  const strangers = await chirograph.backend('globex')
  const foreign = await strangers.post(PATH, { credentialTemplateId: diploma, items: items(1) })
  assert.equal(foreign.status, 404)
  assert.deepEqual((await strangers.get(PATH)).body.data, [])
  const id = (await school.get(PATH)).body.data[0].id
  assert.equal((await strangers.get(`${PATH}/${id}`)).status, 404)
  assert.equal((await strangers.get(`${PATH}/${id}/items`)).status, 404)
  const idle = await chirograph.idle('acme')
  assert.equal((await idle.post(PATH, { credentialTemplateId: diploma, items: items(1) })).status, 403)
  assert.equal((await idle.get(`${PATH}/${id}`)).status, 403)
})

test('the same batch posted with one key, also at once, issues once', async () => {
  const reference = 'idempotent'
  const ask = { credentialTemplateId: diploma, items: Array(300).fill({ attributes: { name: 'A' }, reference }) }
  const key = { 'idempotency-key': 'batch-of-today' }
  const replies = await Promise.all(Array.from({ length: 5 }, () => school.post(PATH, ask, key)))
  for (const { status, body } of replies) assert.equal(status, 202, JSON.stringify(body))
  const ids = new Set(replies.map(({ body }) => body.data.id))
  assert.equal(ids.size, 1)
  const [id = ''] = ids
  assert.equal((await ended(id)).data.done, 300)
  assert.equal((await school.post(PATH, ask, key)).body.data.id, id)
  let found = 0
  for (
    let next: string | undefined = `/creds/credentials?page[size]=100&filter[reference]=${reference}`;
    next !== undefined;
  ) {
    const { body }: Reply = await school.get(next)
    found += body.data.length
    next = body.links.next
  }
  assert.equal(found, 300)
  assert.equal((await school.post(PATH, { ...ask, expiresInSeconds: 60 }, key)).status, 409)
  const table = (query: string) =>
    school.send('POST', `${PATH}?${query}`, 'name\nA', { ...CSV, 'idempotency-key': 'table' })
  assert.equal((await table(`credentialTemplateId=${diploma}`)).status, 202)
  assert.equal(
    (await table(`credentialTemplateId=${await aBatchTemplate(school)}`)).status,
    409,
    'the query is part of the request that a key identifies',
  )
})

test('each item of a batch whose template is archived is issued before, or fails; a batch of an archived template is unknown', async () => {
  const credentialTemplateId = await aBatchTemplate(school)
  const { body } = await school.post(PATH, { credentialTemplateId, items: items(1000) })
  await school.delete(`/creds/templates/credentials/${credentialTemplateId}`)
  const { data } = await ended(body.data.id)
  assert.equal(data.done + data.failed, 1000)
  const failed = await itemsOf(body.data.id, '&filter[status]=failed')
  assert.deepEqual(
    failed.map((one) => one.error.code),
    Array.from({ length: data.failed }, () => 'NOT_FOUND'),
  )
  assert.equal((await school.post(PATH, { credentialTemplateId, items: items(1) })).status, 404)
})

test('each issuance is recorded as if it had been opened alone', async () => {
  const { body } = await school.post(PATH, { credentialTemplateId: diploma, items: items(2) })
  const { data } = await ended(body.data.id)
  const { issuanceId } = data.items[1]
  const audit = await school.get(`/creds/audit?filter[subject]=${issuanceId}`)
  assert.equal(audit.status, 200, JSON.stringify(audit.body))
  assert.partialDeepStrictEqual(audit.body.data, [{ action: 'openid4vc.issuance.offered' }])
  const events = await school.get(`/creds/events?filter[subject]=${issuanceId}`)
  assert.partialDeepStrictEqual(events.body.data, [{ type: 'openid4vc.issuance.offered' }])
})
