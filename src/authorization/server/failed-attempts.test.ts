import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FailedAttempts } from './failed-attempts.ts'

const now = new Date('2026-05-01T12:00:00Z')
const limited = { code: 'request.rate_limited' }

test('[SEC-74] a client that failed ten times from one address waits there; one that proves itself starts anew', () => {
  const failed = new FailedAttempts()
  for (let times = 1; times <= 10; times += 1) failed.begin('acme', '192.0.2.1', now)
  assert.throws(() => failed.begin('acme', '192.0.2.1', now), limited)
  failed.begin('acme', '192.0.2.2', now)
  failed.begin('globex', '192.0.2.1', now)
  failed.succeed('acme', '192.0.2.1', now, true)
  failed.begin('acme', '192.0.2.1', now)
})

test('[SEC-74] an address that invents a new client for each attempt waits, too', () => {
  const failed = new FailedAttempts()
  for (let times = 1; times <= 100; times += 1) failed.begin(`client ${times}`, '192.0.2.1', now)
  assert.throws(() => failed.begin('yet another', '192.0.2.1', now), limited)
  failed.begin('yet another', '192.0.2.2', now)
  failed.begin('yet another', '192.0.2.1', new Date(now.getTime() + 60_000))
})
