import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault, type FaultCode } from '../../fault.ts'
import { newId } from '../../store/row-id.ts'
import { startVerifier, type Verifier } from '../test-support/verifier.ts'
import { limitVerifierRefusals } from './rate-limits.ts'

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(() => verifier.close())

async function codeOf(between: { tenant: Pick<Tenant, 'id'>; ip: string }, code: FaultCode | null): Promise<string> {
  const work = () => (code === null ? Promise.resolve('done') : Promise.reject(new Fault(code)))
  return limitVerifierRefusals(verifier.platform, between, work).catch((error: Fault) => error.code)
}

test('a network that was refused too often waits for a minute; accepted responses do not count [SEC-74]', async () => {
  const tenant = { id: newId() as Tenant['id'] }
  const busy = { tenant, ip: '198.51.100.7' }
  for (let i = 0; i < 200; i += 1) assert.equal(await codeOf(busy, null), 'done')
  for (let i = 0; i < 60; i += 1) {
    assert.equal(await codeOf(busy, 'presentation_request.closed'), 'presentation_request.closed')
    assert.equal(await codeOf(busy, 'presentation_response.undecided'), 'presentation_response.undecided')
  }
  assert.equal(await codeOf(busy, null), 'request.rate_limited')
  assert.equal(await codeOf({ tenant, ip: '198.51.100.8' }, null), 'done')
  assert.equal(await codeOf({ tenant: { id: newId() as Tenant['id'] }, ip: busy.ip }, null), 'done')
  verifier.wait(61)
  assert.equal(await codeOf(busy, null), 'done')
})
