import type { TokenSettings, TokenSlot } from '../../../src/keys/signing-device.ts'
import { isTransientResult, type Mechanism, mechanisms } from './cryptoki.ts'
import { loadModule, type Module } from './load-module.ts'
import { findSlot, isLoggedIn, type Login, listMechanisms, loginOnce, openSession } from './session.ts'

/** A session of this process, used by one piece of work at a time. */
export type TokenSession = { readonly module: Module; readonly handle: bigint }

/** A token with a logged-in session. Its functions run outside of the main thread. */
export type CryptoToken = {
  readonly can: (mechanism: Mechanism) => boolean
  /** Runs work in a session, and again in a new session if the token was lost, so the work must be idempotent. */
  readonly use: <T>(work: (session: TokenSession) => Promise<T>) => Promise<T>
  /** Number of times that all sessions were lost. Handles of objects are valid for one epoch. */
  readonly epoch: () => number
  readonly close: () => Promise<void>
}

/** libuv has four threads; a device that hangs must leave one for files and names. */
const SESSIONS_MAX = 3
/** C functions cannot be aborted. A caller gets an error after this time. */
const WAIT_MS_MAX = 10_000

/**
 * Connects to a token: loads the module, finds the slot, logs in.
 *
 * @throws Error that names the setting, without any value
 */
export async function connectToken(settings: TokenSettings): Promise<CryptoToken> {
  const module = await loadModule(settings.module)
  const login = loginOnce(module, settings.readPin)
  const idle: bigint[] = []
  let open = 0
  let epoch = 0
  idle.push(await take())
  const known = new Set(await listMechanisms(module, await findSlot(module, settings.slot)))
  const limited = semaphore(SESSIONS_MAX)

  async function take(): Promise<bigint> {
    const unused = idle.pop()
    if (unused !== undefined) return unused
    const handle = await connect(module, settings.slot, login)
    open++
    return handle
  }

  async function drop(handle: bigint): Promise<void> {
    open--
    // The login, and with it every handle, ends with the last session.
    if (open === 0) epoch++
    await closeSession(module, handle)
  }

  async function attempt<T>(work: (session: TokenSession) => Promise<T>): Promise<T> {
    const handle = await take()
    try {
      const result = await work({ module, handle })
      idle.push(handle)
      return result
    } catch (error) {
      // The state of the session is unknown, so it is not used again.
      await drop(handle)
      throw error
    }
  }

  async function withRetry<T>(work: (session: TokenSession) => Promise<T>): Promise<T> {
    const before = epoch
    try {
      return await attempt(work)
    } catch (error) {
      if (!isTransientResult(error)) throw error
      // The other sessions are stale too.
      if (epoch === before) epoch++
      for (const handle of idle.splice(0)) await drop(handle)
      return attempt(work)
    }
  }

  return {
    can: (mechanism) => known.has(mechanisms[mechanism]),
    epoch: () => epoch,
    use: (work) => inTime(limited((isLate) => (isLate() ? Promise.reject(late()) : withRetry(work)))),
    close: async () => {
      for (const handle of idle.splice(0)) await drop(handle)
    },
  }
}

async function connect(module: Module, slot: TokenSlot, login: Login): Promise<bigint> {
  const handle = await openSession(module, await findSlot(module, slot))
  try {
    // The login of one session is that of all sessions of the process.
    await login(handle)
    if (!(await isLoggedIn(module, handle))) throw new Error('the token does not confirm the login')
    return handle
  } catch (error) {
    await closeSession(module, handle)
    throw error
  }
}

async function closeSession({ call }: Module, handle: bigint): Promise<void> {
  await call('C_CloseSession', handle).catch(() => undefined)
}

type Turn = { readonly start: () => void }

/** Semaphore: at most `most` concurrent calls, FIFO. `isLate` tells a call whether its caller has timed out. */
function semaphore(most: number) {
  const queue: Turn[] = []
  let busy = 0
  return async <T>(work: (isLate: () => boolean) => Promise<T>): Promise<T> => {
    const since = performance.now()
    if (busy === most) await new Promise<void>((start) => queue.push({ start }))
    else busy++
    try {
      return await work(() => performance.now() - since > WAIT_MS_MAX)
    } finally {
      const next = queue.shift()
      if (next === undefined) busy--
      else next.start()
    }
  }
}

/** The work itself is not stopped, and its outcome is then ignored. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), WAIT_MS_MAX)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

function late(): Error {
  return new Error(`the token has not responded for ${WAIT_MS_MAX} ms`)
}
