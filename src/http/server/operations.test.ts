import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aServer } from '../test-support/a-server.ts'

test('readyz keeps its answer for a second: many probes are one check', async () => {
  let checks = 0
  const check = async () => {
    checks += 1
  }
  const probed = aServer({ routes: [], readiness: [{ name: 'database', check }] })
  const ask = () => probed.dispatch({ method: 'GET', path: '/readyz' })
  await Promise.all([ask(), ask(), ask()])
  assert.equal((await ask()).status, 200)
  assert.equal(checks, 1)
  await new Promise((done) => setTimeout(done, 1050))
  await ask()
  assert.equal(checks, 2)
  await probed.close()
})

test('livez names the loop that does not turn', async () => {
  let isTurning = true
  const check = () => (isTurning ? Promise.resolve() : Promise.reject(new Error('stuck')))
  const watched = aServer({ routes: [], liveness: [{ name: 'worker', check }] })
  const ask = () => watched.dispatch({ method: 'GET', path: '/livez' })
  assert.equal((await ask()).status, 200)
  isTurning = false
  const { status, body } = await ask()
  assert.deepEqual([status, JSON.parse(body.toString())], [503, { status: 'unavailable', failed: ['worker'] }])
  await watched.close()
})
