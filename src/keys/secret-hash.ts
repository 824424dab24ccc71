import { randomBytes, scrypt } from 'node:crypto'
import { equalInConstantTime } from '../crypto/digest.ts'

/** Work factors: `password` for passwords of people, `secret` for random secrets of at least 32 characters. */
const costs = {
  password: { N: 32_768, r: 8, p: 3 },
  secret: { N: 16_384, r: 8, p: 1 },
} as const
const SALT_BYTES = 16
const KEY_BYTES = 32
const FORM = /^scrypt\$(\d{1,8})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/

type Cost = { readonly N: number; readonly r: number; readonly p: number }

/** Hashes a secret with scrypt, off the main thread. @returns `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashSecret(secret: string, kind: keyof typeof costs): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const cost = costs[kind]
  const key = await derive(secret, salt, cost)
  return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64url')}$${key.toString('base64url')}`
}

/** Whether the stored string is the hash of this secret. Slow by design; compares in constant time. */
export async function isSecretOf(stored: string, secret: string): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = FORM.exec(stored) ?? []
  if (N === undefined) throw new Error('the stored hash has an unknown form')
  const key = await derive(secret, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) })
  return equalInConstantTime(key, Buffer.from(hash, 'base64url'))
}

/**
 * A hash that no secret has, with the cost of a real one: checked when the client is unknown, so that the time reveals
 * nothing.
 */
export const noSecretHash = `scrypt$${costs.secret.N}$${costs.secret.r}$${costs.secret.p}$AAAAAAAAAAAAAAAAAAAAAA$${'A'.repeat(43)}`

function derive(secret: string, salt: Buffer, { N, r, p }: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret.normalize('NFC'), salt, KEY_BYTES, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}
