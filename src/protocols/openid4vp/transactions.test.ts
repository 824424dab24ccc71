import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Json, JsonObject } from '../../crypto/json.ts'
import { parseQuery } from '../dcql/parse-query.ts'
import {
  encodeTransaction,
  findUnauthorized,
  hashTransactions,
  parseTransactionData,
  readSentTransaction,
  type TransactionTypes,
  transactionClaims,
} from './transactions.ts'

const type = 'https://bank.example/payment'
const types: TransactionTypes = new Map([
  [type, { amount: { type: 'number' }, payee: { type: 'object' }, note: { type: 'string', optional: true } }],
])
const credential = (id: string, more = {}) => ({ id, format: 'dc+sd-jwt', meta: { vct_values: ['x'] }, ...more })
const query = parseQuery({
  credentials: [credential('a'), credential('b'), credential('c', { require_cryptographic_holder_binding: false })],
})
const good = { type, credential_ids: ['a'], amount: 5, payee: { name: 'Zoë' } }
const encode = (object: unknown) => Buffer.from(JSON.stringify(object)).toString('base64url')
const parse = (...objects: unknown[]) => parseTransactionData(objects.map(encode), query, types)
const sha = (alg: string, text: string) => createHash(alg).update(text).digest('base64url')

test('transaction data of a known type is parsed, with the members of its type [VP-T1]', () => {
  const { entries, alg } = parse(good, { ...good, credential_ids: ['b', 'a', 'b'], note: 'x' })
  assert.deepEqual(entries[0], {
    encoded: encode(good),
    type,
    credentialIds: ['a'],
    content: { amount: 5, payee: { name: 'Zoë' } },
  })
  assert.deepEqual([entries[1]?.credentialIds, entries[1]?.content.note, alg], [['b', 'a'], 'x', null])
  assert.deepEqual(parseTransactionData(undefined, query, types), { entries: [], alg: null })
})

for (const [what, value] of [
  ['that is no list', 'x'],
  ['that is empty', []],
  ['with nine entries', Array(9).fill(encode(good))],
  ['that is too long', [encode({ ...good, note: 'x'.repeat(8192) })]],
  ['that is no base64url', ['{}']],
  ['that is no JSON', [Buffer.from('{').toString('base64url')]],
  ['that is no object', [encode([])]],
  ['of an unknown type', [encode({ ...good, type: 'other' })]],
  ['of a type that is no name', [encode({ ...good, type: 7 })]],
  ['of the type of every object', [encode({ ...good, type: 'constructor' })]],
  ['with one unknown type among known ones', [encode(good), encode({ ...good, type: 'other' })]],
  ['with an unknown member', [encode({ ...good, currency: 'EUR' })]],
  ['without a required member', [encode({ ...good, amount: undefined })]],
  ['with a member of another type', [encode({ ...good, amount: '5' })]],
  ['with a null member', [encode({ ...good, payee: null })]],
  ['with a list for an object', [encode({ ...good, payee: [] })]],
  ['without credential ids', [encode({ ...good, credential_ids: undefined })]],
  ['with no credential id', [encode({ ...good, credential_ids: [] })]],
  ['for a credential that is not requested', [encode({ ...good, credential_ids: ['a', 'z'] })]],
  ['for a credential without holder binding [VP-T3]', [encode({ ...good, credential_ids: ['c'] })]],
  ['with hash algorithms that are no list', [encode({ ...good, transaction_data_hashes_alg: 'sha-256' })]],
  ['with no supported hash algorithm', [encode({ ...good, transaction_data_hashes_alg: ['md5'] })]],
  ['with no common hash algorithm', [encode(good), encode({ ...good, transaction_data_hashes_alg: ['sha-512'] })]],
] as const) {
  test(`transaction data ${what} is refused [VP-T2]`, () => {
    assert.throws(() => parseTransactionData(value, query, types), { code: 'presentation_request.transaction_data' })
  })
}

test('a wallet that knows no types refuses all transaction data [VP-R7]', () => {
  const code = 'presentation_request.transaction_data'
  assert.throws(() => parseTransactionData([encode(good)], query, new Map()), { code })
})

test('the hash is over the string as received; its algorithm is named if the request names one [VP-T3]', () => {
  const plain = parse(good)
  assert.deepEqual(transactionClaims(hashTransactions(plain.entries, plain.alg)), {
    transaction_data_hashes: [sha('sha256', encode(good))],
  })
  const named = { ...good, transaction_data_hashes_alg: ['sha-1', 'sha-512', 'sha-384'] }
  const { entries, alg } = parse(named)
  assert.deepEqual(transactionClaims(hashTransactions(entries, alg)), {
    transaction_data_hashes: [sha('sha384', encode(named))],
    transaction_data_hashes_alg: 'sha-384',
  })
  assert.equal(parse({ ...good, transaction_data_hashes_alg: ['sha-256'] }).alg, 'sha-256')
})

const [one, two, either] = [
  encodeTransaction({ type, credentialIds: ['a'], content: { amount: 1 } }),
  encodeTransaction({ type: 'other', credentialIds: ['a'], content: { amount: 2 } }),
  encodeTransaction({ type, credentialIds: ['a', 'b'], content: { amount: 3 } }),
]
const hash = (encoded: string) => sha('sha256', encoded)
const jwt = (queryId: string, hashes: Json, more: JsonObject = {}) => ({
  queryId,
  format: 'dc+sd-jwt' as const,
  claims: { transaction_data_hashes: hashes, ...more } as JsonObject,
})
const mdoc = (queryId: string, claims: JsonObject) => ({ queryId, format: 'mso_mdoc', claims }) as const
for (const [what, sent, signed, wrong] of [
  ['what was sent', [one, two], [jwt('a', [hash(one), hash(two)])], []],
  ['one of two credentials', [either], [jwt('b', [hash(either)]), { ...jwt('a', []), claims: {} }], []],
  ['the default algorithm by name', [one], [jwt('a', [hash(one)], { transaction_data_hashes_alg: 'sha-256' })], []],
  [
    'an mdoc, by the namespace of each type',
    [one, two],
    [mdoc('a', { [type]: { transaction_data_hashes: [hash(one)] }, other: { transaction_data_hashes: [hash(two)] } })],
    [],
  ],
  ['another order', [one, two], [jwt('a', [hash(two), hash(one)])], ['a']],
  ['one of two', [one, two], [jwt('a', [hash(one)])], ['a']],
  ['one more', [one], [jwt('a', [hash(one), hash(two)])], ['a']],
  ['twice the same', [one], [jwt('a', [hash(one), hash(one)])], ['a']],
  ['nothing', [one], [{ ...jwt('a', []), claims: {} }], ['a']],
  ['no list', [one], [jwt('a', hash(one))], ['a']],
  ['another algorithm', [one], [jwt('a', [hash(one)], { transaction_data_hashes_alg: 'sha-512' })], ['a']],
  ['both of two credentials', [either], [jwt('a', [hash(either)]), jwt('b', [hash(either)])], ['a', 'b']],
  ['no presentation', [either], [], ['a', 'b']],
  ['an mdoc in another namespace', [one], [mdoc('a', { other: { transaction_data_hashes: [hash(one)] } })], ['a']],
  ['an mdoc with no object', [one], [mdoc('a', { [type]: 7 })], ['a']],
] as const) {
  test(`transactions authorized by ${what}: ${wrong.length === 0 ? 'accepted' : 'refused'} [VP-T4]`, () => {
    const found = findUnauthorized(sent.map(readSentTransaction), signed)
    assert.deepEqual([...found].sort(), wrong)
  })
}
