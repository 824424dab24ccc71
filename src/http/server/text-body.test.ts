import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Type } from 'typebox'
import { answer, TextBody } from '../routes/route.ts'
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
  textBodies: ['text/csv'],
  reply: Type.String(),
  handle: ({ body }) => answer(body instanceof TextBody ? `${body.type} ${body.text}` : `json ${body.rows}`),
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

test('a route may accept texts besides JSON, which is validated', async () => {
  assert.deepEqual(await post('text/csv; charset=utf-8', '\ufeffä,b'), [200, 'text/csv ä,b'])
  assert.deepEqual(await post('application/json', '{"rows":1}'), [200, 'json 1'])
  // RFC 8259 8.1: a parser may ignore a byte order mark, which PowerShell and .NET write
  assert.deepEqual(await post('application/json', '\ufeff{"rows":1}'), [200, 'json 1'])
  assert.deepEqual(await post('application/json', '{"rows":"1"}'), [400, 'VALIDATION_ERROR'])
  assert.deepEqual(await post('text/plain', 'a'), [415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test('a text that is not UTF-8, or contains NUL, is refused', async () => {
  assert.deepEqual(await post('text/csv', Uint8Array.of(0x61, 0xff)), [400, 'VALIDATION_ERROR'])
  assert.deepEqual(await post('text/csv', 'a\0b'), [400, 'VALIDATION_ERROR'])
})

test('a text may be in another charset, which its Content-Type names', async () => {
  assert.deepEqual(await post('text/csv; charset="Windows-1252"', Uint8Array.of(0x61, 0xe4)), [200, 'text/csv aä'])
  assert.deepEqual(await post('text/csv;charset=utf-16le', Uint8Array.of(0xff, 0xfe, 0xe4, 0)), [200, 'text/csv ä'])
  assert.deepEqual(await post('text/csv; charset=koi8-r', 'a'), [415, 'UNSUPPORTED_MEDIA_TYPE'])
})
