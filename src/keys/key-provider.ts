import { generateKeyPairSync } from 'node:crypto'
import { privateKeyFromPkcs8 } from '../crypto/jwk.ts'
import { type SigningKey, softwareKey } from '../crypto/signing-key.ts'

/** The kinds of keys that we make. */
export type KeyType = 'P-256' | 'Ed25519'

/**
 * Where private keys live. The key ring seals what a provider wants stored and gives it back; it never looks inside. A provider for keys in a
 * device stores what it finds a key by, and its keys sign there.
 */
export type KeyProvider = {
  /** Stands in the row of each key, and stays the same for ever. */
  readonly name: string
  /** @param id The id of the key in the key ring; no other key will ever have it. */
  readonly generate: (type: KeyType, id: string) => Promise<{ readonly stored: Buffer; readonly key: SigningKey }>
  readonly open: (stored: Buffer) => Promise<SigningKey>
  /** Destroys the key for good. A second call finds nothing left to do. */
  readonly destroy: (stored: Buffer) => Promise<void>
}

/** A provider that is a device: it has to be there, and is let go of at the end. */
export type KeyDevice = KeyProvider & {
  /** @throws Fault `key_device.failed` if it cannot sign now */
  readonly check: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Keys in memory; PKCS #8 is what is stored. Destroyed with the row that holds them. */
export const softwareKeys: KeyProvider = {
  name: 'software',
  generate: async (type) => {
    const { privateKey } =
      type === 'P-256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
    return { stored: privateKey.export({ format: 'der', type: 'pkcs8' }), key: softwareKey(privateKey) }
  },
  open: async (stored) => softwareKey(privateKeyFromPkcs8(stored)),
  destroy: async () => undefined,
}

/** Who keeps keys: one makes the new ones, any number still has those that it made. */
export type KeyProviders = { readonly maker: KeyProvider; readonly named: (name: string) => KeyProvider }

/** Software keys are always among them. @param others Have keys, but make none. */
export function keyProviders(maker: KeyProvider = softwareKeys, others: readonly KeyProvider[] = []): KeyProviders {
  const known = new Map([softwareKeys, ...others, maker].map((one) => [one.name, one]))
  return {
    maker,
    named: (name) => {
      const found = known.get(name)
      if (found === undefined) throw new Error(`this key is kept by ${name}, which is not set up here`)
      return found
    },
  }
}
