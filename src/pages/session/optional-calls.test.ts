import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../fault.ts'
import { ApiRefusal } from '../own-api.ts'
import { optionalCalls } from './optional-calls.ts'

/** The optional calls of one request, and what they log. */
function logged() {
  const lines: (readonly [object, string])[] = []
  const write = (fields: object, message: string) => void lines.push([fields, message])
  const log = { debug: write, info: write, warn: write, error: write }
  return { ...optionalCalls({ log, requestId: 'the-page' }), lines }
}

const refusal = (status: number, id: string) => {
  const none = { title: '', detail: '', pointer: null, requiredScope: null }
  return Promise.reject(new ApiRefusal(status, [{ ...none, id, code: 'UNAVAILABLE' }]))
}

for (const [what, call, id] of [
  ['an API that fails', () => refusal(500, 'the-call'), 'the-call'],
  ['an API that is away', () => refusal(503, 'the-call'), 'the-call'],
  ['too many calls', () => refusal(429, 'the-call'), 'the-call'],
  ['a refusal without an id', () => refusal(502, ''), 'the-page'],
  ['all time used up by other calls', () => Promise.reject(new Fault('upstream.timeout')), 'the-page'],
] as const)
  test(`${what}: the page goes without, with a line of the log and its id`, async () => {
    const { orMissing, missingId, lines } = logged()
    assert.equal(missingId(), null)
    assert.equal(await orMissing(call()), null)
    assert.equal(missingId(), id)
    assert.equal(lines.length, 1)
    assert.deepEqual([Object(lines[0]?.[0]).requestId, lines[0]?.[1]], ['the-page', 'incomplete page'])
  })

test('a call without an answer is missing after 4 s', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { orMissing, missingId } = logged()
  const waiting = orMissing(Promise.withResolvers<string>().promise)
  context.mock.timers.tick(3999)
  assert.equal(missingId(), null)
  context.mock.timers.tick(1)
  assert.equal(await waiting, null)
  assert.equal(missingId(), 'the-page')
})

test('what the person may not see is left out without a word', async () => {
  const { orMissing, missingId, lines } = logged()
  assert.equal(await orMissing(refusal(403, 'the-call')), null)
  assert.deepEqual([missingId(), lines], [null, []])
})

test('an answer is returned; every other error reaches the page: defects of our own, the end of the session, what is not there', async () => {
  const { orMissing, missingId } = logged()
  assert.equal(await orMissing(Promise.resolve('figures')), 'figures')
  await assert.rejects(orMissing(Promise.reject(new TypeError('x is not a function'))), TypeError)
  await assert.rejects(orMissing(Promise.reject(new Fault('database.unavailable'))), { code: 'database.unavailable' })
  for (const status of [400, 401, 404]) await assert.rejects(orMissing(refusal(status, 'the-call')), { status })
  assert.equal(missingId(), null)
})
