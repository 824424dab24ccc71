import { generateKeyPair, generateKeyPairSync } from 'node:crypto'
import { promisify } from 'node:util'
import { privateKeyFromPkcs8 } from '../crypto/jwk.ts'
import { type RsaSigningKey, rsaSoftwareKey, type SigningKey, softwareKey } from '../crypto/signing-key.ts'

/** The types of keys that are generated. */
export type KeyType = 'P-256' | 'Ed25519'

/**
 * Generates and opens private keys. The key ring seals what a provider returns in `stored`, and does not interpret it.
 * A provider for a device stores a reference, and its keys sign in the device.
 */
export type KeyProvider = {
  /** Stored in the row of each key; never changes. */
  readonly name: string
  /** @param id The unique id of the key in the key ring. */
  readonly generate: (type: KeyType, id: string) => Promise<{ readonly stored: Buffer; readonly key: SigningKey }>
  readonly open: (stored: Buffer) => Promise<SigningKey>
  /** Destroys the key permanently. Idempotent. */
  readonly destroy: (stored: Buffer) => Promise<void>
  /** Its RSA keys; null: it has none. */
  readonly rsa: RsaKeyProvider | null
}

/** Size and public exponent of the RSA keys that are generated. */
const RSA_BITS = 2048
const RSA_EXPONENT = 65_537

/** Generates and opens RSA keys, as {@link KeyProvider} does others. They are destroyed there too. */
export type RsaKeyProvider = {
  readonly generate: (id: string) => Promise<{ readonly stored: Buffer; readonly key: RsaSigningKey }>
  readonly open: (stored: Buffer) => Promise<RsaSigningKey>
}

/** A provider that is a device: it must be reachable, and is closed at the end. */
export type KeyDevice = KeyProvider & {
  /** @throws Fault `key_device.failed` if it cannot sign now */
  readonly check: () => Promise<void>
  readonly close: () => Promise<void>
}

const makePair = promisify(generateKeyPair)

const softwareRsa: RsaKeyProvider = {
  generate: async () => {
    // In a thread: it takes tenths of a second.
    const { privateKey } = await makePair('rsa', { modulusLength: RSA_BITS, publicExponent: RSA_EXPONENT })
    return { stored: privateKey.export({ format: 'der', type: 'pkcs8' }), key: rsaSoftwareKey(privateKey) }
  },
  open: async (stored) => rsaSoftwareKey(privateKeyFromPkcs8(stored)),
}

/** Keys in memory, stored as PKCS #8. Destroyed with their row. */
export const softwareKeys: KeyProvider = {
  name: 'software',
  generate: async (type) => {
    const { privateKey } =
      type === 'P-256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
    return { stored: privateKey.export({ format: 'der', type: 'pkcs8' }), key: softwareKey(privateKey) }
  },
  open: async (stored) => softwareKey(privateKeyFromPkcs8(stored)),
  destroy: async () => undefined,
  rsa: softwareRsa,
}

/** The providers of a server: `maker` generates new keys, `named` returns the provider of an existing key. */
export type KeyProviders = { readonly maker: KeyProvider; readonly named: (name: string) => KeyProvider }

/** Returns the providers; software is always among them. @param others Hold existing keys, but generate none. */
export function keyProviders(maker: KeyProvider = softwareKeys, others: readonly KeyProvider[] = []): KeyProviders {
  const known = new Map([softwareKeys, ...others, maker].map((one) => [one.name, one]))
  return {
    maker,
    named: (name) => {
      const found = known.get(name)
      if (found === undefined) throw new Error(`this key is kept by ${name}, which is not configured here`)
      return found
    },
  }
}
