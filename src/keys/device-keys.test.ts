import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../store/row-id.ts'
import { deviceKeys } from './device-keys.ts'
import type { SigningDevice } from './signing-device.ts'

const away = () => Promise.reject(new Error('the device is away'))
/** A device that makes keys for ES256 only, and is away. */
const device: SigningDevice = {
  lacks: (alg) => (alg === 'ES256' ? null : `CKM_FOR_${alg}`),
  generate: away,
  sign: away,
  destroy: away,
  check: away,
  close: async () => undefined,
}

test('a key that the device cannot make is refused by the name of what it lacks; there are no RSA keys', async () => {
  const keys = deviceKeys(device)
  const meta = { keyType: 'Ed25519', missing: 'CKM_FOR_EdDSA' }
  await assert.rejects(keys.generate('Ed25519', newId()), { code: 'key_device.unsupported', meta })
  assert.equal(keys.rsa, null)
})

test('every error of the device is a fault that may be repeated, with the reason in its notes', async () => {
  const keys = deviceKeys(device)
  const stored = Buffer.from(JSON.stringify({ id: newId() }))
  for (const work of [() => keys.generate('P-256', newId()), () => keys.destroy(stored), () => keys.check()])
    await assert.rejects(work, { code: 'key_device.failed', notes: 'the device is away' })
})
