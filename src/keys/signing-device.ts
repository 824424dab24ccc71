/**
 * A signature algorithm and the key that it needs: P-256, Ed25519, RSA of 2048 bits with the public exponent 65537.
 * ES256 and RS256 hash the bytes with SHA-256.
 */
export type DeviceAlgorithm = 'ES256' | 'EdDSA' | 'RS256'

/**
 * What an optional package does with a device that holds private keys. Its functions reject with plain errors, whose
 * messages have no secret: `device-keys.ts` makes faults of them.
 */
export type SigningDevice = {
  /** Names what the device lacks to generate the key and to sign with it; null: nothing. */
  readonly lacks: (alg: DeviceAlgorithm) => string | null
  /**
   * Generates a pair whose private key never leaves the device, and destroys it again if its public key does not verify
   * a signature of it.
   *
   * @param id A UUID, by which the device finds the key.
   * @returns the public key, a JWK
   */
  readonly generate: (alg: DeviceAlgorithm, id: string) => Promise<object>
  /** ES256: 64 bytes, r then s. EdDSA: 64 bytes. RS256: 256 bytes, RSASSA-PKCS1-v1_5. */
  readonly sign: (id: string, alg: DeviceAlgorithm, bytes: Uint8Array) => Promise<Buffer>
  /** Destroys both keys of a pair. Idempotent. */
  readonly destroy: (id: string) => Promise<void>
  /** Rejects if the device cannot sign now. */
  readonly check: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Names a token: by the number of its slot, or by its label, which is stable when numbers change. */
export type TokenSlot = { readonly id: number } | { readonly label: string }

/** Which token of PKCS #11, and how to log in to it. */
export type TokenSettings = {
  /** Path of the PKCS #11 module. */
  readonly module: string
  readonly slot: TokenSlot
  /** Called at every login, so that the PIN is not kept. The buffer is wiped after use. */
  readonly readPin: () => Promise<Buffer>
}

/** Opens a token, as `@chirograph/pkcs11` does. Rejects with an Error that names the setting, without its value. */
export type OpenToken = (settings: TokenSettings) => Promise<SigningDevice>
