// What the server does in one piece with a body, before any work of an operation: parsing, texts, schema. Made from the
// list of routes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { routes } from '../src/contributions.ts'
import { JSON_VALUES_MAX } from '../src/crypto/json.ts'
import { idempotentRequestOf } from '../src/http/routes/idempotency.ts'
import { BODY_BYTES_MAX, readJson, readLargeJson } from '../src/http/server/body.ts'
import { checkMaker } from '../src/http/validation/check.ts'
import { checkTexts } from '../src/http/validation/check-texts.ts'
import { leastOfRuns, longestPiece } from './support/longest-piece.ts'
import { nameOf } from './support/route-requests.ts'

/** CPU time of one piece of work on a caller's input. */
const STALL_MS_MAX = 20
/**
 * Of the one body that may be larger, 8 MiB: one text of that length, all in escapes, takes 28 ms and has no pieces.
 */
const LARGE_STALL_MS_MAX = 40

type Shape = { readonly [name: string]: unknown }

/**
 * The largest value of a schema, with arrays and texts as long as they may be, as far as the rest of the bytes and
 * values goes.
 */
function largest(schema: Shape, room: { bytes: number; values: number }): unknown {
  room.values -= 1
  const { type, properties, items, anyOf, allOf, maxLength, maxItems, maxProperties } = schema
  const [first] = [anyOf, allOf].flatMap((one) => (Array.isArray(one) ? one : []))
  if (first !== undefined) return largest(first, room)
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.const !== undefined) return schema.const
  if (type === 'string') {
    const length = Math.max(1, Math.min(Number(maxLength ?? 100_000), room.bytes))
    room.bytes -= length + 3
    return 'a'.repeat(length)
  }
  if (type === 'array') {
    const all: unknown[] = []
    const most = Number(maxItems ?? Number.POSITIVE_INFINITY)
    while (all.length < most && room.bytes > 64 && room.values > 64) {
      room.bytes -= 2
      all.push(largest(Object(items), room))
    }
    return all
  }
  if (type === 'integer' || type === 'number') return Number(schema.minimum ?? 1)
  if (type === 'boolean') return true
  if (type === 'object' && properties !== undefined) {
    return Object.fromEntries(
      Object.entries(Object(properties) as Record<string, Shape>).map(([name, one]) => {
        room.bytes -= name.length + 4
        return [name, largest(one, room)]
      }),
    )
  }
  if (type === 'object') {
    const most = Math.min(Number(maxProperties ?? 5_000), 5_000)
    const [one = {}] = Object.values(Object(schema.patternProperties ?? {}))
    const members: [string, unknown][] = []
    while (members.length < most && room.bytes > 64 && room.values > 64) {
      room.bytes -= 10
      members.push([`a${members.length}`, largest(Object(one), room)])
    }
    return Object.fromEntries(members)
  }
  room.bytes -= 2
  return 1
}

const bodiesOf = (body: Shape, bytes: number, values: number): (readonly [string, string])[] => {
  const room = { bytes: bytes * 0.9, values: values * 0.9 }
  return [
    ['the largest of the schema', JSON.stringify(largest(body, room))],
    ['one long text', JSON.stringify({ a: 'a'.repeat(bytes - 20) })],
    ['one long text of escapes', `{"a":"${'\\u0041'.repeat((bytes - 20) / 6)}"}`],
    ['one long text that is not of Unicode', `{"a":"${'\\ud800'.repeat((bytes - 20) / 6)}"}`],
    ['as many values as may be', `{"a":[${'0,'.repeat(values - 4)}0]}`],
    ['as many members as may be', `{${Array.from({ length: values - 4 }, (_, at) => `"a${at}":0`)}}`],
    ['texts that are not of Unicode', `{"a":[${'"\\ud800",'.repeat(Math.min(values - 4, bytes / 10))}0]}`],
  ]
}

describe('no body of its largest size stops the event loop for long, whatever it is', () => {
  const check = checkMaker()
  for (const route of routes) {
    const { body, bodyBytesMax = BODY_BYTES_MAX, jsonValuesMax: valuesMax = JSON_VALUES_MAX } = route
    if (body === undefined) continue
    test(nameOf(route), async () => {
      const checkBody = check(body, 'body', route.moreViolations)
      const isLarge = bodyBytesMax > BODY_BYTES_MAX
      const most = isLarge ? LARGE_STALL_MS_MAX : STALL_MS_MAX
      for (const [what, text] of bodiesOf(Object(body), bodyBytesMax, valuesMax)) {
        const bytes = Buffer.from(text)
        assert.ok(bytes.length <= bodyBytesMax, `${what} has ${bytes.length} bytes`)
        const work = async () => {
          try {
            const read = isLarge ? await readLargeJson(bytes, { valuesMax }) : readJson(bytes, { valuesMax })
            checkTexts(read, bytes)
            checkBody(read, bytes.length)
            await idempotentRequestOf('key', 'POST', '/', read)
          } catch {
            // A refusal costs as much.
          }
        }
        // The first run compiles.
        await work()
        const leastMs = await leastOfRuns(most, () => longestPiece(work))
        assert.ok(leastMs < most, `${what}: ${leastMs} ms`)
      }
    })
  }
})
