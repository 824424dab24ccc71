import assert from 'node:assert/strict'
import { createPublicKey, randomUUID, verify } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import type { DeviceAlgorithm, SigningDevice } from '../../../src/keys/signing-device.ts'
import { softHsm } from '../../../test/support/softhsm.ts'
import { attributes, TokenError } from './cryptoki.ts'
import { loadModule } from './load-module.ts'
import { findObject, publicPoint } from './objects.ts'
import { openToken } from './open-token.ts'
import { findSlot, openSession } from './session.ts'
import { template, valueIn } from './structs.ts'
import { meddle } from './test-support/meddle.ts'

const hsm = softHsm()
hsm.addToken('twin')
hsm.addToken('twin')
const readPin = () => readFile(hsm.pinFile).then((pin) => pin.subarray(0, hsm.pin.length))
const settings = { module: hsm.module, slot: { label: hsm.label }, readPin }
const opened: SigningDevice[] = []
after(async () => {
  for (const one of opened) await one.close()
  hsm.close()
})

async function aDevice(more: Partial<typeof settings> = {}): Promise<SigningDevice> {
  const device = await openToken({ ...settings, ...more })
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

const message = Buffer.from('what is signed')

/** Whether the token signs with the private key of an id, as its public key verifies. */
async function signs(device: SigningDevice, id: string, alg: DeviceAlgorithm, jwk: object): Promise<boolean> {
  const key = { key: createPublicKey({ key: { ...jwk }, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
  return verify(alg === 'EdDSA' ? null : 'sha256', message, key, await device.sign(id, alg, message))
}

for (const alg of ['ES256', 'EdDSA', 'RS256'] as const) {
  test(`a key for ${alg} is generated in the token, signs there, and its signatures verify`, async () => {
    const device = await aDevice()
    assert.equal(device.lacks(alg), null)
    const id = randomUUID()
    const jwk = await device.generate(alg, id)
    assert(!('d' in jwk))
    assert(await signs(device, id, alg, jwk))
    assert(await signs(await aDevice(), id, alg, jwk))
  })

  test(`the private key of a pair for ${alg} stays in the token`, async () => {
    const device = await aDevice()
    const id = randomUUID()
    const jwk = await device.generate(alg, id)
    const { module, session, privateKey, publicKey } = await lookInto(id)
    assert(privateKey !== null && publicKey !== null)
    const CKA_VALUE = 0x11
    const CKA_PRIVATE_EXPONENT = 0x123
    const CKA_NEVER_EXTRACTABLE = 0x164
    const secret = alg === 'RS256' ? CKA_PRIVATE_EXPONENT : CKA_VALUE
    const wanted = template([[secret, Buffer.alloc(300)]], module.addressOf)
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
    if (!('x' in jwk)) return
    const point = await publicPoint(session, publicKey)
    assert(point.includes(Buffer.from(String(jwk.x), 'base64url')))
  })
}

test('an RSA key has 2048 bits', async () => {
  const jwk = await (await aDevice()).generate('RS256', randomUUID())
  const { asymmetricKeyDetails } = createPublicKey({ key: { ...jwk }, format: 'jwk' })
  assert.deepEqual(asymmetricKeyDetails, { modulusLength: 2048, publicExponent: 65_537n })
})

test('destroying a key removes both halves from the token, and is idempotent', async () => {
  for (const alg of ['ES256', 'RS256'] as const) {
    const device = await aDevice()
    const id = randomUUID()
    await device.generate(alg, id)
    await device.sign(id, alg, message)
    await device.destroy(id)
    await device.destroy(id)
    const { privateKey, publicKey } = await lookInto(id)
    assert.deepEqual([privateKey, publicKey], [null, null])
    await assert.rejects(device.sign(id, alg, message))
    await assert.rejects((await aDevice()).sign(id, alg, message), /no private key/)
  }
})

test('concurrent signatures share few sessions', async () => {
  const device = await aDevice()
  const ids = [1, 2, 3].map(() => randomUUID())
  const jwks = await Promise.all(ids.map((id) => device.generate('ES256', id)))
  const made = Array.from({ length: 120 }, (_, n) => signs(device, ids[n % 3] ?? '', 'ES256', jwks[n % 3] ?? {}))
  assert((await Promise.all(made)).every((isRight) => isRight))
})

for (const [what, name] of [
  ['all sessions are closed', 'C_CloseAllSessions'],
  ['the login is ended', 'C_Logout'],
] as const) {
  test(`signing continues when ${what} outside of this process`, async () => {
    const device = await aDevice()
    const id = randomUUID()
    const jwk = await device.generate('ES256', id)
    await device.sign(id, 'ES256', message)
    const { module, session } = await lookInto(randomUUID())
    meddle(hsm.module, name, name === 'C_Logout' ? session.handle : await findSlot(module, settings.slot))
    assert(await signs(device, id, 'ES256', jwk))
    await device.check()
  })
}

test('a wrong PIN is refused once, not retried, and never shown', async () => {
  const { module } = await lookInto(randomUUID())
  meddle(hsm.module, 'C_CloseAllSessions', await findSlot(module, settings.slot))
  let pinReads = 0
  const wrong = '000000'
  const error = await openToken({ ...settings, readPin: async () => Buffer.from(wrong) }).catch((one) => one)
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
  const id = randomUUID()
  const jwk = await device.generate('ES256', id)
  pin = wrong
  await device.close()
  await assert.rejects(device.sign(id, 'ES256', message), { message: /CKR_PIN_INCORRECT/ })
  await assert.rejects(device.sign(id, 'ES256', message), { message: /refused the PIN/ })
  await assert.rejects(device.check(), { message: /refused the PIN/ })
  pin = hsm.pin
  assert(await signs(device, id, 'ES256', jwk))
  assert.equal(pinReads, 5)
})

for (const [what, more, says] of [
  ['a module that is not there', { module: '/nowhere/libmissing.so' }, /^PKCS11_MODULE cannot be loaded/],
  ['a library that is no module', { module: 'libc.so.6' }, /^PKCS11_MODULE cannot be loaded/],
  ['a label that no token has', { slot: { label: 'another' } }, /^PKCS11_TOKEN: there is no token/],
  ['a slot that is not there', { slot: { id: 4_000_000 } }, /^PKCS11_SLOT: there is no token/],
] as const) {
  test(`${what} is reported with the name of the setting`, async () => {
    await assert.rejects(openToken({ ...settings, ...more }), { message: says })
  })
}

test('two tokens with one label are refused', async () => {
  await assert.rejects(openToken({ ...settings, slot: { label: 'twin' } }), {
    message: /several tokens have that label/,
  })
})
