import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId, timeOfId } from '../../store/row-id.ts'
import { credentialIdOf, issuanceIdOf } from './credential-id.ts'

test('the id of a credential is another UUID of version 7 with the time of its issuance, and leads back to it', () => {
  const ids = Array.from({ length: 1000 }, newId)
  for (const id of ids) {
    const credentialId = credentialIdOf(id)
    assert.match(credentialId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.deepEqual(timeOfId(credentialId), timeOfId(id))
    assert.equal(issuanceIdOf(credentialId), id)
  }
  assert.equal(new Set([...ids, ...ids.map(credentialIdOf)]).size, 2000)
})
