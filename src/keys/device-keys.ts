import { createPublicKey } from 'node:crypto'
import { parseJsonObject } from '../crypto/json.ts'
import { canonical, type PublicJwk, type RsaJwk, readPublicJwk, rsaJwkOf, thumbprint } from '../crypto/jwk.ts'
import type { RsaSigningKey, SigningKey } from '../crypto/signing-key.ts'
import { Fault } from '../fault.ts'
import type { KeyDevice, KeyType, RsaKeyProvider } from './key-provider.ts'
import type { SigningDevice } from './signing-device.ts'

/** Stored in the row of each key; never changes. */
const NAME = 'pkcs11'

const algorithms = { 'P-256': 'ES256', Ed25519: 'EdDSA' } as const satisfies Record<KeyType, SigningKey['alg']>

/** Returns the provider of the keys of a device. It stores the id of a key in the device, and its public key. */
export function deviceKeys(device: SigningDevice): KeyDevice {
  const keyOf = (id: string, jwk: PublicJwk): SigningKey => {
    const alg = algorithms[jwk.kty === 'EC' ? 'P-256' : 'Ed25519']
    return { kid: thumbprint(jwk), alg, publicJwk: jwk, sign: (bytes) => inDevice(device.sign(id, alg, bytes)) }
  }
  return {
    name: NAME,
    generate: async (type, id) => {
      const alg = algorithms[type]
      const missing = device.lacks(alg)
      if (missing !== null) {
        const detail = `The token of the private keys cannot generate ${type} keys: it has no ${missing}.`
        throw new Fault('key_device.unsupported', { detail, meta: { keyType: type, missing } })
      }
      const jwk = await inDevice(device.generate(alg, id).then(readPublicJwk))
      return { stored: referenceTo(id, jwk), key: keyOf(id, jwk) }
    },
    open: async (stored) => {
      const { id, jwk } = readReference(stored)
      return keyOf(id, canonical(readPublicJwk(jwk)))
    },
    destroy: async (stored) => inDevice(device.destroy(readReference(stored).id)),
    rsa: device.lacks('RS256') === null ? rsaKeys(device) : null,
    check: () => inDevice(device.check()),
    close: device.close,
  }
}

function rsaKeys(device: SigningDevice): RsaKeyProvider {
  const keyOf = (id: string, jwk: RsaJwk): RsaSigningKey => ({
    kid: thumbprint(jwk),
    alg: 'RS256',
    publicJwk: jwk,
    sign: (bytes) => inDevice(device.sign(id, 'RS256', bytes)),
  })
  return {
    generate: async (id) => {
      const jwk = readRsaJwk(await inDevice(device.generate('RS256', id)))
      return { stored: referenceTo(id, jwk), key: keyOf(id, jwk) }
    },
    open: async (stored) => {
      const { id, jwk } = readReference(stored)
      return keyOf(id, readRsaJwk(jwk))
    },
  }
}

/** @throws Fault `key_device.failed` for every error of the device */
async function inDevice<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw new Fault('key_device.failed', { notes: cause instanceof Error ? cause.message : 'unknown', cause })
  }
}

function readRsaJwk(jwk: unknown): RsaJwk {
  return rsaJwkOf(createPublicKey({ key: { ...Object(jwk) }, format: 'jwk' }))
}

function referenceTo(id: string, jwk: PublicJwk | RsaJwk): Buffer {
  return Buffer.from(JSON.stringify({ id, jwk }))
}

function readReference(stored: Buffer): { readonly id: string; readonly jwk: unknown } {
  const { id, jwk } = parseJsonObject(stored)
  if (typeof id !== 'string') throw new Error('not a reference to a key in a device')
  return { id, jwk }
}
