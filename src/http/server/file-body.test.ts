import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Type } from 'typebox'
import { answer, FileBody } from '../routes/route.ts'
import { aServer } from '../test-support/a-server.ts'
import { route } from '../test-support/route.ts'

const took = route({
  group: 'creds',
  method: 'POST',
  path: '/tables',
  summary: 'Takes tables.',
  scope: null,
  status: 200,
  faults: [],
  body: Type.Object({ rows: Type.Integer() }, { additionalProperties: false }),
  fileBodies: ['text/csv', 'application/zip'],
  reply: Type.String(),
  handle: ({ body }) =>
    answer(
      body instanceof FileBody
        ? `${body.type} ${body.charset} ${Buffer.from(body.bytes).toString('hex')}`
        : `json ${body.rows}`,
    ),
})
const server = aServer({ routes: [took] })
let at = ''
before(async () => {
  at = await server.listen()
})
after(() => server.close(0))

async function post(type: string, body: string | Uint8Array<ArrayBuffer>): Promise<[number, unknown]> {
  const headers = { authorization: 'Bearer admin', 'content-type': type }
  const reply = await fetch(`${at}/creds/tables`, { method: 'POST', headers, body })
  const shown = (await reply.json()) as {
    readonly data?: string
    readonly errors?: readonly { readonly code: string }[]
  }
  return [reply.status, shown.data ?? shown.errors?.[0]?.code]
}

test('a route may accept files besides JSON, which is validated', async () => {
  assert.deepEqual(await post('text/csv; header=present', Uint8Array.of(0xff, 0)), [200, 'text/csv utf-8 ff00'])
  assert.deepEqual(await post('application/zip; charset=binary', '\ufeffPK'), [200, 'application/zip null efbbbf504b'])
  assert.deepEqual(await post('application/json', '{"rows":1}'), [200, 'json 1'])
  // RFC 8259 8.1: a parser may ignore a byte order mark, which PowerShell and .NET write
  assert.deepEqual(await post('application/json', '\ufeff{"rows":1}'), [200, 'json 1'])
  assert.deepEqual(await post('application/json', '{"rows":"1"}'), [400, 'VALIDATION_ERROR'])
  assert.deepEqual(await post('text/plain', 'a'), [415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test('a text may be in another charset, which its Content-Type names', async () => {
  const given = async (charset: string) => (await post(`text/csv;${charset}`, 'a'))[1]
  assert.equal(await given('charset="Windows-1252"'), 'text/csv windows-1252 61')
  assert.equal(await given(' charset=iso-8859-1'), 'text/csv windows-1252 61')
  assert.equal(await given('charset=utf-16le'), 'text/csv utf-16le 61')
  assert.deepEqual(await post('text/csv; charset=koi8-r', 'a'), [415, 'UNSUPPORTED_MEDIA_TYPE'])
})
