import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from '../../store/store.ts'
import { membership } from '../test-support/holder.ts'
import { aPresentation, aRequest, attributes, issuer, payloadAt } from '../test-support/presentation-request.ts'
import { startVerifier, type Verifier } from '../test-support/verifier.ts'

const findData = sql(
  'test.transaction_data',
  'select transaction_data as data from presentation_request where tenant_id = $1 and id = $2',
)
const type = 'https://bank.example/payment'
const payment = { type, content: { amount: 12.5, payee: { name: 'Acme' } } }
const hash = (encoded: string) => createHash('sha256').update(encoded).digest('base64url')

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(() => verifier.close())

async function asking(transactionData: readonly object[] = [payment], template = {}) {
  const request = await aRequest(verifier, { request: { transactionData }, template })
  const sent = request.object.transaction_data as string[]
  const data = async () => {
    const [row] = await verifier.store.single(request.tenantId, (tx) =>
      tx.rows<{ data: Buffer | null }>(findData, [request.tenantId, request.id]),
    )
    return row?.data ?? null
  }
  return { ...request, sent, data }
}
type Request = Awaited<ReturnType<typeof asking>>
const presented = (request: Request, claims: object) => aPresentation(request, { binding: { claims } })

test('a request carries its transactions, the same at every fetch, and is verified if the holder signs them [VP-T4]', async () => {
  const request = await asking([payment, { type: 'urn:login', credentials: ['card'] }])
  const [first = '', second = ''] = request.sent
  assert.deepEqual(JSON.parse(Buffer.from(first, 'base64url').toString()), {
    type,
    credential_ids: ['c0'],
    amount: 12.5,
    payee: { name: 'Acme' },
  })
  assert.deepEqual((await payloadAt(request.requestUri)).transaction_data, request.sent)
  assert.equal((await request.data())?.includes('Acme'), false, 'it is sealed')
  await request.answer({ c0: [await presented(request, { transaction_data_hashes: [hash(first), hash(second)] })] })
  assert.equal((await request.result()).status, 'verified')
  assert.equal(await request.data(), null)
})

for (const [what, hashes] of [
  ['without hashes', () => ({})],
  ['with the hash of another transaction', () => ({ transaction_data_hashes: [hash('other')] })],
  [
    'with the hash of what the string decodes to',
    ([one = '']: string[]) => ({ transaction_data_hashes: [hash(Buffer.from(one, 'base64url').toString())] }),
  ],
  ['with one hash too many', ([one = '']: string[]) => ({ transaction_data_hashes: [hash(one), hash(one)] })],
] as const) {
  test(`a response ${what} is not verified, and shows nothing`, async () => {
    const request = await asking()
    await request.answer({ c0: [await presented(request, hashes(request.sent))] })
    const { status, credentials } = await request.result()
    const codes = credentials[0].issues.map(({ code }: { code: string }) => code)
    assert.deepEqual([status, credentials[0].attributes, codes], ['failed', {}, ['presentation.transaction_data']])
  })
}

test('of two credentials one authorizes; an optional one that is left out authorizes nothing', async () => {
  const card = { type: membership, attributes, issuers: [issuer.did] }
  const template = {
    credentials: [
      { ...card, name: 'one' },
      { ...card, name: 'two', optional: true },
    ],
  }
  for (const [credentials, status] of [
    [['one', 'two'], 'verified'],
    [['two'], 'failed'],
  ] as const) {
    const request = await asking([{ ...payment, credentials }], template)
    const claims = credentials.length === 2 ? { transaction_data_hashes: request.sent.map(hash) } : {}
    await request.answer({ c0: [await presented(request, claims)] })
    assert.equal((await request.result()).status, status)
  }
})

for (const [what, transaction, credential, pointer] of [
  [
    'that names no credential of the template',
    { ...payment, credentials: ['none'] },
    {},
    '/transactionData/0/credentials/0',
  ],
  ['with a position beyond the template', { ...payment, credentials: [1] }, {}, '/transactionData/0/credentials/0'],
  [
    'for a credential without holder binding',
    payment,
    { requireCryptographicHolderBinding: false },
    '/transactionData/0',
  ],
  ['for a credential that may be presented several times', payment, { multiple: true }, '/transactionData/0'],
  [
    'that sets what the server sets',
    { type, content: { credential_ids: ['x'] } },
    {},
    '/transactionData/0/content/credential_ids',
  ],
  ['that is too large', { type, content: { note: 'x'.repeat(8192) } }, {}, '/transactionData/0/content'],
] as const) {
  test(`a transaction ${what} is refused when the request is created`, async () => {
    const { ask } = await verifier.aTenant()
    const credentials = [{ type: membership, name: 'card', attributes, ...credential }]
    const made = await ask('POST', '/templates/presentations', { name: 'T', description: '', credentials })
    const body = { presentationTemplateId: made.body.data.id, transactionData: [transaction] }
    const { status, body: answer } = await ask('POST', '/presentations/request', body)
    assert.deepEqual([status, answer.errors[0].source.pointer], [400, pointer])
  })
}

test('transaction data is cleared when the request is canceled', async () => {
  const request = await asking()
  assert.notEqual(await request.data(), null)
  await request.ask('DELETE', `/presentations/${request.id}`)
  assert.equal(await request.data(), null)
})
