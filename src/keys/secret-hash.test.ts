import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSecret, isSecretOf, noSecretHash } from './secret-hash.ts'

for (const kind of ['password', 'secret'] as const) {
  test(`a ${kind} is recognised, another one is not, and two hashes of one differ`, async () => {
    const stored = await hashSecret('correct horse', kind)
    assert.equal(await isSecretOf(stored, 'correct horse'), true)
    assert.equal(await isSecretOf(stored, 'correct horsf'), false)
    assert.notEqual(await hashSecret('correct horse', kind), stored)
    assert(!stored.includes('horse'))
  })
}

test('no secret matches the empty hash', async () => {
  for (const secret of ['', 'A', '\0']) assert.equal(await isSecretOf(noSecretHash, secret), false)
})

test('a stored string of another form is a defect, not a wrong secret', async () => {
  await assert.rejects(isSecretOf('bcrypt$…', 'x'), /unknown form/)
})
