import { createHash } from 'node:crypto'
import type { TokenSlot } from '../../../src/keys/signing-device.ts'
import { isAboutPin, isOneOf, NORMAL_USER, READ_WRITE_SESSION, TokenError, USER_SESSION } from './cryptoki.ts'
import type { Module } from './load-module.ts'
import { readUlong, ULONG_BYTES, ulong } from './structs.ts'

/** Logs in unless this process is logged in. */
export type Login = (session: bigint) => Promise<void>

const LABEL_BYTES = 32
/** CK_TOKEN_INFO is 208 bytes long. */
const TOKEN_INFO_BYTES = 256
/** CK_SESSION_INFO: slot, state, flags, device error. */
const SESSION_INFO_BYTES = 4 * ULONG_BYTES
const SLOTS_MAX = 256
const MECHANISMS_MAX = 1024

/** Returns the slot of the token. @throws Error that names the setting, without its value */
export async function findSlot(module: Module, token: TokenSlot): Promise<bigint> {
  const present = await listSlots(module)
  if ('id' in token) {
    if (present.includes(BigInt(token.id))) return BigInt(token.id)
    throw new Error('PKCS11_SLOT: there is no token in a slot of that number')
  }
  const found: bigint[] = []
  for (const slot of present) if ((await labelOf(module, slot)) === token.label) found.push(slot)
  const [only] = found
  if (only === undefined) throw new Error('PKCS11_TOKEN: there is no token of that label')
  if (found.length > 1) throw new Error('PKCS11_TOKEN: several tokens have that label; give PKCS11_SLOT instead')
  return only
}

async function listSlots({ call }: Module): Promise<bigint[]> {
  const count = ulong(SLOTS_MAX)
  const list = Buffer.alloc(SLOTS_MAX * ULONG_BYTES)
  // PKCS #11 v3.0, 5.5: only a call without a list refreshes the slots.
  await call('C_GetSlotList', 1, null, ulong())
  await call('C_GetSlotList', 1, list, count)
  return numbersIn(list, count)
}

async function labelOf({ call }: Module, slot: bigint): Promise<string | null> {
  const about = Buffer.alloc(TOKEN_INFO_BYTES)
  try {
    await call('C_GetTokenInfo', slot, about)
  } catch (error) {
    // Another token is being removed.
    if (error instanceof TokenError) return null
    throw error
  }
  return about.subarray(0, LABEL_BYTES).toString('utf8').trimEnd()
}

/** Lists the mechanisms of the token, as numbers. */
export async function listMechanisms({ call }: Module, slot: bigint): Promise<number[]> {
  const count = ulong(MECHANISMS_MAX)
  const list = Buffer.alloc(MECHANISMS_MAX * ULONG_BYTES)
  await call('C_GetMechanismList', slot, list, count)
  return numbersIn(list, count).map(Number)
}

/** Opens a read-write session. */
export async function openSession({ call }: Module, slot: bigint): Promise<bigint> {
  const handle = ulong()
  await call('C_OpenSession', slot, READ_WRITE_SESSION, null, null, handle)
  return readUlong(handle)
}

/** Whether the session is logged in. */
export async function isLoggedIn({ call }: Module, session: bigint): Promise<boolean> {
  const about = Buffer.alloc(SESSION_INFO_BYTES)
  await call('C_GetSessionInfo', session, about)
  return Number(readUlong(about, ULONG_BYTES)) === USER_SESSION
}

/**
 * Returns a login that runs for one session at a time. A PIN that the token refused is not tried again, because tokens
 * lock themselves after a few wrong ones; a changed PIN is tried.
 */
export function loginOnce(module: Module, readPin: () => Promise<Buffer>): Login {
  let last: Promise<void> = Promise.resolve()
  let refused: Buffer | null = null

  async function login(session: bigint): Promise<void> {
    if (await isLoggedIn(module, session)) return
    const pin = await readPin()
    try {
      if (refused?.equals(digestOf(pin))) throw new Error('the token refused the PIN in PKCS11_PIN_FILE before')
      await module.call('C_Login', session, NORMAL_USER, pin, pin.length)
    } catch (error) {
      if (isOneOf(error, ['CKR_USER_ALREADY_LOGGED_IN'])) return
      if (isAboutPin(error)) refused = digestOf(pin)
      throw error
    } finally {
      pin.fill(0)
    }
  }

  return (session) => {
    const current = last.then(() => login(session))
    last = current.catch(() => undefined)
    return current
  }
}

function digestOf(pin: Buffer): Buffer {
  return createHash('sha256').update(pin).digest()
}

function numbersIn(list: Buffer, count: Buffer): bigint[] {
  return Array.from({ length: Number(readUlong(count)) }, (_, index) => readUlong(list, index * ULONG_BYTES))
}
