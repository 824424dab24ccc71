import { argon2 } from 'node:crypto'
import { equalInConstantTime } from '../crypto/digest.ts'
import { randomBytes } from '../crypto/random.ts'
import { isSecretOf } from './secret-hash.ts'

/** @see [OWASP Password Storage Cheat Sheet, Argon2id](https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id) */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const TAG_BYTES = 32
const FORM = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

type Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number }

/** Hashes a password with argon2id, off the main thread. @returns a PHC string */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return phc(salt, await derive(password, salt, COST, TAG_BYTES))
}

/**
 * Whether the stored string, argon2id or scrypt, is the hash of this password. Slow by design; compares in constant
 * time.
 */
export async function isPasswordOf(stored: string, password: string): Promise<boolean> {
  const [, m, t, p, salt = '', tag = ''] = FORM.exec(stored) ?? []
  if (m === undefined) return isSecretOf(stored, password)
  const expected = Buffer.from(tag, 'base64')
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) }
  return equalInConstantTime(await derive(password, Buffer.from(salt, 'base64'), cost, expected.length), expected)
}

/**
 * Whether a stored hash has another form or cost than those of new passwords, so that it is replaced at the next
 * sign-in.
 */
export function isOutdatedHash(stored: string): boolean {
  return !stored.startsWith(PREFIX)
}

const PREFIX = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$`

/**
 * A hash that no password has, with the cost of a real one: checked where there is no user, so that the time reveals
 * nothing.
 */
export const noPasswordHash = phc(Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES))

function phc(salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `${PREFIX}${text(salt)}$${text(tag)}`
}

function derive(password: string, nonce: Buffer, cost: Cost, tagLength: number): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFC'))
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce, tagLength, ...cost }, (error, tag) =>
      error === null ? resolve(Buffer.from(tag)) : reject(error),
    )
  })
}
