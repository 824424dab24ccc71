// Items of a batch that say when their credential is valid, and which credential it takes the place of.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  aTemplate,
  type Body,
  codeOf,
  type Issuer,
  noDeliveries,
  type Reply,
  redeem,
  request,
  someClaims,
} from '../test-support/issuer.ts'
import { runBatch } from './run-batch.ts'

const PATH = '/credentials/issuance/batch'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

const attributes = { ...someClaims, given_name: 'Thandeka' }
const running = new AbortController().signal

const read = async (id: string): Promise<Body> => (await issuer.api('GET', `/credentials/${id}`)).body.data
const statusOf = async (id: string) => (await read(id)).credentials[0].status

async function made(more: object = {}): Promise<Body> {
  return (await issuer.api('POST', '/templates/credentials', aTemplate(more))).body.data
}

/** A credential of a template that a wallet holds. */
async function held({ id, code }: Body, ask: object = {}): Promise<string> {
  const body = { credentialTemplateId: id, attributes: someClaims, ...ask }
  const offer = (await issuer.api('POST', '/credentials/issuance', body)).body.data
  const token = (await redeem(issuer, await codeOf(issuer, offer.offerUri))).body.access_token
  assert.equal((await request(issuer, token, code, [aKey()])).status, 200)
  return offer.id
}

type Item = { readonly attributes: object; readonly [member: string]: unknown }

function send(templateId: string, items: readonly Item[], query = '', by = issuer): Promise<Reply> {
  return by.api('POST', `${PATH}${query}`, { credentialTemplateId: templateId, items })
}

async function run(batchId: string, by = issuer): Promise<void> {
  await runBatch(by.platform, noDeliveries, { tenantId: issuer.tenant.id, batchId }, running)
}

/** Issues items, and returns what became of them. */
async function issued(templateId: string, items: readonly Item[]): Promise<Body[]> {
  const { status, body } = await send(templateId, items)
  assert.equal(status, 202, JSON.stringify(body))
  await run(body.data.id)
  return (await issuer.api('GET', `${PATH}/${body.data.id}`)).body.data.items
}

test('items replace credentials, by id or by reference, and have a validity of their own', async () => {
  const template = await made()
  const [first, second] = [await held(template, { reference: 'm-1' }), await held(template, { reference: 'm-2' })]
  const open = (await issuer.api('POST', '/credentials/issuance', { credentialTemplateId: template.id, attributes }))
    .body.data
  const items = await issued(template.id, [
    { attributes, replaces: { reference: 'm-1' }, validFrom: '2026-05-02', validUntil: '2027-07-31T21:59:59.999Z' },
    { attributes, replaces: { id: second, revoke: 'atOnce' } },
    { attributes, replaces: { id: open.id } },
    { attributes },
  ])
  assert.partialDeepStrictEqual(items, [
    { status: 'done', reference: 'm-1', replaces: { issuanceId: first, revoke: 'whenTaken' } },
    { status: 'done', reference: 'm-2', replaces: { issuanceId: second, revoke: 'atOnce' } },
    { status: 'done', replaces: { issuanceId: open.id } },
    { status: 'done' },
  ])
  assert.deepEqual(
    [items[0]?.validFrom, items[0]?.validUntil],
    ['2026-05-02T00:00:00.000Z', '2027-07-31T21:59:59.999Z'],
  )
  assert.deepEqual([items[3]?.replaces, items[3]?.validUntil], [undefined, undefined])
  const [renewed] = items
  assert.partialDeepStrictEqual(await read(renewed?.issuanceId), {
    reference: 'm-1',
    validFrom: '2026-05-02T00:00:00.000Z',
    validUntil: '2027-07-31T21:59:59.999Z',
    replaces: { issuanceId: first },
  })
  assert.deepEqual(
    [await statusOf(first), await statusOf(second), (await read(open.id)).status],
    ['issued', 'revoked', 'canceled'],
    'at once is with the item, and nobody has taken the first yet',
  )
})

/** Items of every kind, and whether each can be issued. */
async function everyKind(template: Body): Promise<readonly (readonly [Item, string])[]> {
  const [once, twin, fixed] = [
    await held(template, { reference: 'once' }),
    await held(template, { reference: 'twin' }),
    await held(await made({ revocable: false })),
  ]
  await held(template, { reference: 'twin' })
  const before = await held(template, { reference: 'before' })
  await issuer.api('POST', '/credentials/issuance', {
    credentialTemplateId: template.id,
    attributes,
    replaces: { id: before },
  })
  return [
    [{ attributes, reference: 'once' }, 'ready'],
    [{ attributes: {}, replaces: { reference: 'once' } }, 'attributes'],
    [{ attributes, replaces: { reference: 'once' } }, 'ready'],
    [{ attributes, replaces: { reference: 'once' } }, 'replaces.twice'],
    [{ attributes, replaces: { id: once } }, 'replaces.twice'],
    [{ attributes, replaces: { reference: 'twin' } }, 'replaces.ambiguous'],
    [{ attributes, replaces: { id: twin.toUpperCase() } }, 'ready'],
    [{ attributes, replaces: { id: before } }, 'replaces.twice'],
    [{ attributes, replaces: { reference: 'nobody' } }, 'replaces.unknown'],
    [{ attributes, replaces: { id: template.id } }, 'replaces.unknown'],
    [{ attributes, replaces: {} }, 'replaces.which'],
    [{ attributes, replaces: { id: fixed } }, 'replaces.irrevocable'],
    [{ attributes, replaces: { id: fixed, revoke: 'never' } }, 'ready'],
    [{ attributes, validUntil: '2026-05-01' }, 'validity.passed'],
    [{ attributes, validFrom: '2026-07-01', validUntil: '2026-06-30' }, 'template.never_valid'],
    [{ attributes, validFrom: '2027-05-02' }, 'template.never_valid'],
    [{ attributes, validUntil: '2026-06-30' }, 'ready'],
  ]
}

test('the check of a batch finds what issuing it refuses, item by item', async () => {
  const template = await made({ validFrom: '2026-05-01', validUntil: '2027-05-01' })
  const kinds = await everyKind(template)
  const items = kinds.map(([item]) => item)
  const { status, body } = await send(template.id, items, '?check=true')
  assert.equal(status, 200, JSON.stringify(body))
  const checked: Body[] = body.data.items
  for (const [at, [, expected]] of kinds.entries()) {
    const { error } = checked[at] ?? {}
    const rule = error === undefined ? 'ready' : (error.meta?.rule ?? '')
    assert.equal(rule, expected === 'attributes' ? 'required' : expected, `item ${at}`)
  }
  const results = await issued(template.id, items)
  const outcome = (one: Body) => [one.error?.code, one.error?.pointer, one.error?.meta]
  assert.deepEqual(results.map(outcome), checked.map(outcome))
  assert.deepEqual(
    results.map((one) => one.status === 'done'),
    checked.map((one) => one.status === 'valid'),
  )
})

test('what a batch issues itself is not replaced by its later items, also behind a step', async () => {
  const template = await made()
  const old = await held(template, { reference: 'same' })
  const fillers = Array.from({ length: 300 }, () => ({ attributes }))
  const renewal = { attributes, replaces: { reference: 'same' } }
  const items = [{ attributes, reference: 'same' }, renewal, ...fillers, renewal]
  const { body } = await send(template.id, items, '?check=true')
  assert.deepEqual([body.data.invalid, body.data.items.at(-1).error.meta.rule], [1, 'replaces.twice'])
  const { data } = (await send(template.id, items)).body
  await run(data.id)
  const failed = (await issuer.api('GET', `${PATH}/${data.id}/items?filter[status]=failed`)).body.data
  assert.partialDeepStrictEqual(failed, [{ index: items.length - 1, error: { meta: { rule: 'replaces.twice' } } }])
  assert.equal(failed.length, 1)
  assert.equal((await read(old)).replacedBy !== undefined, true)
})

test('the check tells of an item that replaces nothing how many credentials with its reference it could', async () => {
  const template = await made()
  await held(template, { reference: 'one' })
  for (let count = 0; count < 3; count += 1) await held(template, { reference: 'many' })
  const items = ['one', 'many', 'none'].map((reference) => ({ attributes, reference }))
  const { data } = (await send(template.id, items, '?check=true')).body
  assert.deepEqual(
    data.items.map((one: Body) => [one.status, one.replaceable]),
    [
      ['valid', 1],
      ['valid', 2],
      ['valid', undefined],
    ],
  )
})

test('of twelve batches in two processes that replace the same credentials each is replaced once', async () => {
  const template = await made()
  const olds = await Promise.all(Array.from({ length: 6 }, (_, at) => held(template, { reference: `shared-${at}` })))
  const other = await anIssuer(db, 'http://localhost:8080', {}, issuer.tenant)
  const sent = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      const order = at % 3 === 0 ? olds.toReversed() : olds
      const items = order.map((id) => ({ attributes, replaces: { id } }))
      return (await send(template.id, items)).body.data.id as string
    }),
  )
  await Promise.all(sent.map((id, at) => run(id, at % 2 === 0 ? issuer : other)))
  await other.server.close(0)
  const items = (
    await Promise.all(sent.map(async (id) => (await issuer.api('GET', `${PATH}/${id}`)).body.data.items))
  ).flat()
  assert.equal(items.length, 72)
  const done = items.filter(({ status }: Body) => status === 'done')
  assert.deepEqual(done.map(({ replaces }: Body) => replaces.issuanceId).toSorted(), olds.toSorted())
  for (const { status, error } of items)
    assert(status === 'done' || error.meta.rule === 'replaces.twice', JSON.stringify(error))
})

test('many that are replaced at once are all withdrawn by one run', async () => {
  const template = await made()
  const items = Array.from({ length: 260 }, (_, at) => ({ attributes, reference: `bulk-${at}` }))
  await issued(template.id, items)
  await issued(
    template.id,
    items.map(({ reference }) => ({ attributes, replaces: { reference } })),
  )
  const count = async (status: string) => {
    const query = `filter[templateId]=${template.id}&filter[status]=${status}&page[total]=true`
    return (await issuer.api('GET', `/credentials?${query}`)).body.meta.page.total.count
  }
  assert.deepEqual([await count('canceled'), await count('offered')], [260, 260])
})
