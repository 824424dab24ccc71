import { Fault } from '../../fault.ts'
import { isTransientResult, type Mechanism, mechanisms, TokenError } from './cryptoki.ts'
import { loadModule, type Module } from './load-module.ts'
import { findSlot, isLoggedIn, type Login, listMechanisms, loginOnce, openSession, type TokenSlot } from './session.ts'

/** A session of our own, for the time of one piece of work. */
export type Session = { readonly module: Module; readonly handle: bigint }

/** A token that we are logged in to. Works outside of the main thread. */
export type Token = {
  readonly can: (mechanism: Mechanism) => boolean
  /**
   * Does something in a session. Once more in a fresh one if the token was gone in between, so it must bear being done twice.
   *
   * @throws Fault `key_device.failed`
   */
  readonly use: <T>(work: (session: Session) => Promise<T>) => Promise<T>
  /** Counts the times that sessions were lost. Handles of objects are good for one count. */
  readonly epoch: () => number
  readonly close: () => Promise<void>
}

/** Which token, and how to log in. */
export type TokenSettings = {
  /** Path of the maker's module. */
  readonly module: string
  readonly slot: TokenSlot
  /** Asked at every login, so that nothing keeps the PIN. The buffer is wiped after use. */
  readonly readPin: () => Promise<Buffer>
}

/** The thread pool of Node has four threads; a device that hangs must leave one to files and names. */
const SESSIONS_MAX = 3
/** C functions cannot be called off. Who waits for one is told after so long; a caller of ours has given up by then. */
const WAIT_MS_MAX = 10_000

/**
 * Opens a token: loads the module, finds the slot, logs in.
 *
 * @throws Error that names the setting to look at, without any value
 */
export async function openToken(ask: TokenSettings): Promise<Token> {
  const module = await loadModule(ask.module)
  const login = loginOnce(module, ask.readPin)
  const idle: bigint[] = []
  let open = 0
  let epoch = 0
  idle.push(await take())
  const known = new Set(await listMechanisms(module, await findSlot(module, ask.slot)))
  const turns = openTurns(SESSIONS_MAX)

  async function take(): Promise<bigint> {
    const waiting = idle.pop()
    if (waiting !== undefined) return waiting
    const handle = await connect(module, ask.slot, login)
    open++
    return handle
  }

  async function drop(handle: bigint): Promise<void> {
    open--
    // With the last session ends the login, and with it every handle.
    if (open === 0) epoch++
    await closeSession(module, handle)
  }

  async function once<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const handle = await take()
    try {
      const result = await work({ module, handle })
      idle.push(handle)
      return result
    } catch (error) {
      // Whatever state it is in, nobody else shall find out.
      await drop(handle)
      throw error
    }
  }

  async function twice<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const before = epoch
    try {
      return await once(work)
    } catch (error) {
      if (!isTransientResult(error)) throw error
      // The others are as stale as this one.
      if (epoch === before) epoch++
      for (const handle of idle.splice(0)) await drop(handle)
      return once(work)
    }
  }

  return {
    can: (mechanism) => known.has(mechanisms[mechanism]),
    epoch: () => epoch,
    use: (work) => inTime(turns((isLate) => (isLate() ? Promise.reject(late()) : twice(work)))).catch(toFault),
    close: async () => {
      for (const handle of idle.splice(0)) await drop(handle)
    },
  }
}

async function connect(module: Module, slot: TokenSlot, login: Login): Promise<bigint> {
  const handle = await openSession(module, await findSlot(module, slot))
  try {
    // Of several sessions that are opened at once one logs in, and it does so for all.
    await login(handle)
    if (!(await isLoggedIn(module, handle))) throw new Error('the token does not say that we are logged in')
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

/** Lets so many work at a time; the others wait in line. A piece of work learns whether whoever asked for it is still there. */
function openTurns(most: number) {
  const line: Turn[] = []
  let busy = 0
  return async <T>(work: (isLate: () => boolean) => Promise<T>): Promise<T> => {
    const since = performance.now()
    if (busy === most) await new Promise<void>((start) => line.push({ start }))
    else busy++
    try {
      return await work(() => performance.now() - since > WAIT_MS_MAX)
    } finally {
      const next = line.shift()
      if (next === undefined) busy--
      else next.start()
    }
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), WAIT_MS_MAX)
  })
  try {
    return await Promise.race([work, end])
  } finally {
    clearTimeout(timer)
  }
}

function late(): Error {
  return new Error(`the token has not answered for ${WAIT_MS_MAX} ms`)
}

function toFault(error: unknown): never {
  if (error instanceof Fault) throw error
  const notes = error instanceof Error ? error.message : 'unknown'
  throw new Fault('key_device.failed', { notes, ...(error instanceof TokenError ? {} : { cause: error }) })
}
