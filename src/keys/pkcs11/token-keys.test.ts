import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import koffi from 'koffi'
import { softHsm } from '../../../test/support/softhsm.ts'
import { findSignatureError } from '../../crypto/raw-signature.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { newId } from '../../store/row-id.ts'
import type { KeyDevice, KeyType } from '../key-provider.ts'
import { attributes, TokenError } from './cryptoki.ts'
import { loadModule } from './load-module.ts'
import { findObject, publicPoint } from './objects.ts'
import { findSlot, openSession } from './session.ts'
import { template, valueIn } from './structs.ts'
import { openTokenKeys } from './token-keys.ts'

const hsm = softHsm()
hsm.addToken('twin')
hsm.addToken('twin')
const readPin = () => readFile(hsm.pinFile).then((pin) => pin.subarray(0, hsm.pin.length))
const settings = { module: hsm.module, slot: { label: hsm.label }, readPin }
const opened: KeyDevice[] = []
after(async () => {
  for (const one of opened) await one.close()
  hsm.close()
})

async function aDevice(more: Partial<typeof settings> = {}): Promise<KeyDevice> {
  const device = await openTokenKeys({ ...settings, ...more })
  opened.push(device)
  return device
}

/** What the token itself shows of a key, seen by another session. */
async function lookInto(id: string) {
  const module = await loadModule(hsm.module)
  const session = { module, handle: await openSession(module, await findSlot(module, settings.slot)) }
  const privateKey = await findObject(session, 'privateKey', id)
  const publicKey = await findObject(session, 'publicKey', id)
  return { module, session, privateKey, publicKey }
}

/** Calls a function of the module that we ourselves never call. */
function meddle(name: string, target: bigint): void {
  const native = koffi.load(hsm.module).func(name, 'unsigned long', ['unsigned long'])
  assert.equal(Number(native(target)), 0)
}

const message = Buffer.from('what is signed')
const objection = async (key: SigningKey) =>
  findSignatureError(message, await key.sign(message), key.publicJwk, key.alg)

for (const type of ['P-256', 'Ed25519'] as const satisfies KeyType[]) {
  test(`a ${type} key is generated in the token, signs there, and its signatures verify`, async () => {
    const device = await aDevice()
    const id = newId()
    const { key, stored } = await device.generate(type, id)
    assert.equal(await objection(key), null)
    const again = await device.open(stored)
    assert.deepEqual([again.kid, again.publicJwk], [key.kid, key.publicJwk])
    assert.equal(await objection(again), null)
    assert.deepEqual(Object.keys(JSON.parse(stored.toString())).sort(), ['id', 'jwk'])
    assert(!('d' in JSON.parse(stored.toString()).jwk))
  })

  test(`the private key of a ${type} pair stays in the token`, async () => {
    const device = await aDevice()
    const id = newId()
    const { key } = await device.generate(type, id)
    const { module, session, privateKey, publicKey } = await lookInto(id)
    assert(privateKey !== null && publicKey !== null)
    const CKA_VALUE = 0x11
    const CKA_NEVER_EXTRACTABLE = 0x164
    const wanted = template([[CKA_VALUE, Buffer.alloc(256)]], module.addressOf)
    await assert.rejects(
      module.call('C_GetAttributeValue', session.handle, privateKey, wanted, 1),
      (error) => error instanceof TokenError && error.result === 'CKR_ATTRIBUTE_SENSITIVE',
    )
    for (const [attribute, value] of [
      [attributes.CKA_SENSITIVE, 1],
      [attributes.CKA_EXTRACTABLE, 0],
      [attributes.CKA_TOKEN, 1],
      [CKA_NEVER_EXTRACTABLE, 1],
    ] as const) {
      const filled = template([[attribute, Buffer.alloc(1)]], module.addressOf)
      await module.call('C_GetAttributeValue', session.handle, privateKey, filled, 1)
      assert.equal(valueIn(filled)?.[0], value)
    }
    // What the token itself calls the public half is what we publish.
    const point = await publicPoint(session, publicKey)
    assert(point.includes(Buffer.from(key.publicJwk.x, 'base64url')))
  })
}

test('an RSA key is generated in the token, signs there by RS256, and is destroyed with both halves', async () => {
  const device = await aDevice()
  assert(device.rsa !== null)
  const id = newId()
  const { key, stored } = await device.rsa.generate(id)
  const publicKey = createPublicKey({ key: key.publicJwk, format: 'jwk' })
  assert.equal(publicKey.asymmetricKeyDetails?.modulusLength, 2048)
  assert.equal(verify('sha256', message, publicKey, await key.sign(message)), true)
  const again = await device.rsa.open(stored)
  assert.deepEqual([again.kid, again.alg, again.publicJwk], [key.kid, 'RS256', key.publicJwk])
  assert.equal(verify('sha256', message, publicKey, await again.sign(message)), true)
  const { module, session, privateKey } = await lookInto(id)
  const CKA_PRIVATE_EXPONENT = 0x123
  const wanted = template([[CKA_PRIVATE_EXPONENT, Buffer.alloc(300)]], module.addressOf)
  await assert.rejects(
    module.call('C_GetAttributeValue', session.handle, privateKey, wanted, 1),
    (error) => error instanceof TokenError && error.result === 'CKR_ATTRIBUTE_SENSITIVE',
  )
  await device.destroy(stored)
  const left = await lookInto(id)
  assert.deepEqual([left.privateKey, left.publicKey], [null, null])
})

test('destroying a key removes both halves from the token, and is idempotent', async () => {
  const device = await aDevice()
  const id = newId()
  const { key, stored } = await device.generate('P-256', id)
  await key.sign(message)
  await device.destroy(stored)
  await device.destroy(stored)
  const { privateKey, publicKey } = await lookInto(id)
  assert.deepEqual([privateKey, publicKey], [null, null])
  await assert.rejects(async () => key.sign(message), { code: 'key_device.failed' })
  await assert.rejects(async () => (await aDevice()).open(stored).then((one) => one.sign(message)), {
    code: 'key_device.failed',
  })
})

test('concurrent signatures share few sessions', async () => {
  const device = await aDevice()
  const keys = await Promise.all([1, 2, 3].map(async () => (await device.generate('P-256', newId())).key))
  const found = await Promise.all(Array.from({ length: 120 }, (_, n) => objection(keys[n % 3] as SigningKey)))
  assert.deepEqual(
    found.filter((one) => one !== null),
    [],
  )
})

for (const [what, name] of [
  ['all sessions are closed', 'C_CloseAllSessions'],
  ['the login is ended', 'C_Logout'],
] as const) {
  test(`signing continues when ${what} outside of this process`, async () => {
    const device = await aDevice()
    const { key } = await device.generate('P-256', newId())
    await key.sign(message)
    const { module, session } = await lookInto(newId())
    meddle(name, name === 'C_Logout' ? session.handle : await findSlot(module, settings.slot))
    assert.equal(await objection(key), null)
    await device.check()
  })
}

test('a wrong PIN is refused once, not retried, and never shown', async () => {
  const { module } = await lookInto(newId())
  meddle('C_CloseAllSessions', await findSlot(module, settings.slot))
  let pinReads = 0
  const wrong = '000000'
  const error = await openTokenKeys({ ...settings, readPin: async () => Buffer.from(wrong) }).catch((one) => one)
  assert(error instanceof Error)
  assert.match(error.message, /CKR_PIN_INCORRECT/)
  assert(!`${error.stack}${JSON.stringify(error)}`.includes(wrong))
  // A PIN that was changed while the server ran: after the sessions are lost, the old one is tried once.
  let pin = hsm.pin
  const device = await aDevice({
    readPin: async () => {
      pinReads++
      return Buffer.from(pin)
    },
  })
  const { key } = await device.generate('P-256', newId())
  pin = wrong
  await device.close()
  await assert.rejects(async () => key.sign(message), { code: 'key_device.failed', notes: /CKR_PIN_INCORRECT/ })
  await assert.rejects(async () => key.sign(message), { code: 'key_device.failed', notes: /refused the PIN/ })
  await assert.rejects(device.check(), { code: 'key_device.failed' })
  pin = hsm.pin
  assert.equal(await objection(key), null)
  assert.equal(pinReads, 5)
})

for (const [what, more, says] of [
  ['a module that is not there', { module: '/nowhere/libmissing.so' }, /^PKCS11_MODULE cannot be loaded/],
  ['a library that is no module', { module: 'libc.so.6' }, /^PKCS11_MODULE cannot be loaded/],
  ['a label that no token has', { slot: { label: 'another' } }, /^PKCS11_TOKEN: there is no token/],
  ['a slot that is not there', { slot: { id: 4_000_000 } }, /^PKCS11_SLOT: there is no token/],
] as const) {
  test(`${what} is reported with the name of the setting`, async () => {
    await assert.rejects(openTokenKeys({ ...settings, ...more }), { message: says })
  })
}

test('two tokens with one label are refused', async () => {
  await assert.rejects(openTokenKeys({ ...settings, slot: { label: 'twin' } }), {
    message: /several tokens have that label/,
  })
})
