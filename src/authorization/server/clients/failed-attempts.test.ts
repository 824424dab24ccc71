import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Memory } from '../../../memory/memory.ts'
import { RateLimiter } from '../../../memory/rate-limiter.ts'
import { countClientAttempt, recordSuccess } from './failed-attempts.ts'

const limited = { code: 'request.rate_limited' }

function aServer() {
  const clock = { at: new Date('2026-05-01T12:00:00Z'), now: () => clock.at }
  return { rateLimiter: new RateLimiter(), memory: new Memory(), clock }
}

test('[SEC-74] a client that failed ten times from one address is limited there; one that authenticates starts anew', () => {
  const server = aServer()
  for (let times = 1; times <= 10; times += 1) countClientAttempt(server, 'acme', '192.0.2.1')
  assert.throws(() => countClientAttempt(server, 'acme', '192.0.2.1'), limited)
  countClientAttempt(server, 'acme', '192.0.2.2')
  countClientAttempt(server, 'globex', '192.0.2.1')
  recordSuccess(server, 'acme', '192.0.2.1', true)
  countClientAttempt(server, 'acme', '192.0.2.1')
})

test('[SEC-74] an address that invents a new client for each attempt is limited, too', () => {
  const server = aServer()
  for (let times = 1; times <= 100; times += 1) countClientAttempt(server, `client ${times}`, '192.0.2.1')
  assert.throws(() => countClientAttempt(server, 'yet another', '192.0.2.1'), limited)
  countClientAttempt(server, 'yet another', '192.0.2.2')
  server.clock.at = new Date(server.clock.at.getTime() + 60_000)
  countClientAttempt(server, 'yet another', '192.0.2.1')
})

test('attempts at one server do not count at another one in the same process', () => {
  const [first, second] = [aServer(), aServer()]
  for (let times = 1; times <= 10; times += 1) countClientAttempt(first, 'acme', '192.0.2.1')
  assert.throws(() => countClientAttempt(first, 'acme', '192.0.2.1'), limited)
  countClientAttempt(second, 'acme', '192.0.2.1')
})
