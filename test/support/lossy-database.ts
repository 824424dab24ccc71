import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A TCP proxy in front of a PostgreSQL server that loses what it is told to lose, at an exact statement. Use it as the server's address:
 *
 * ```ts
 * const lossy = await lossyDatabase(await createDatabase(postgresUrl))
 * const server = await deploy({}, { DATABASE_URL: lossy.url })
 * const lost = lossy.lose('answer', { statement: 'issuance.redeem_offer' })
 * ... // the request whose statement it is: 503
 * await lost
 * ```
 *
 * Without TLS only. Tests that use it are skipped where there is no PostgreSQL server (`postgresUrl === null`).
 */
export type LossyDatabase = {
  readonly url: string
  /** Names of the statements in the order in which they arrived, `commit` included; without those that open a transaction. Clear it freely. */
  readonly statements: string[]
  /**
   * Loses one statement and ends its connection. `request`: it never reaches the database. `answer`: the database runs it (and commits, where
   * it is the last of its transaction), and the answer never arrives.
   *
   * @param at The `nth` statement from now on (1 by default), of those named `statement` if given.
   * @returns Resolves when it has happened.
   */
  readonly lose: (what: 'request' | 'answer', at?: { statement?: string; nth?: number }) => Promise<void>
  /** Ends all connections and refuses new ones, as a server that is down. */
  readonly goDown: () => void
  /** Lets nothing through and ends nothing, as a host without power. */
  readonly goSilent: () => void
  /** New connections work again. Those that hung are ended. */
  readonly comeBack: () => void
  readonly close: () => Promise<void>
}

type Loss = { what: 'request' | 'answer'; statement: string | null; left: number; done: () => void }
type State = { mode: 'up' | 'down' | 'silent'; losses: Loss[]; readonly statements: string[] }

/** Starts a proxy for the database at `target`. */
export async function lossyDatabase(target: string): Promise<LossyDatabase> {
  const state: State = { mode: 'up', losses: [], statements: [] }
  const open = new Set<Socket>()
  const endAll = () => {
    for (const socket of open) socket.destroy()
  }
  const { hostname, port } = new URL(target)
  const front = createServer((client) => {
    if (state.mode === 'down') return client.destroy()
    const database = connect(Number(port || 5432), hostname)
    for (const socket of [client, database]) {
      open.add(socket.setNoDelay(true).on('error', () => socket.destroy()))
      socket.once('close', () => {
        open.delete(socket)
        client.destroy()
        database.destroy()
      })
    }
    join(client, database, state)
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  const url = new URL(target)
  url.host = `127.0.0.1:${(front.address() as AddressInfo).port}`
  return {
    url: url.href,
    statements: state.statements,
    lose: (what, { statement = null, nth = 1 }: { statement?: string | null; nth?: number } = {}) =>
      new Promise((done) => {
        state.losses.push({ what, statement, left: nth, done })
      }),
    goDown: () => {
      state.mode = 'down'
      endAll()
    },
    goSilent: () => {
      state.mode = 'silent'
    },
    comeBack: () => {
      if (state.mode === 'silent') endAll()
      state.mode = 'up'
    },
    close: async () => {
      const closed = once(front, 'close')
      front.close()
      endAll()
      await closed
    },
  }
}

function join(client: Socket, database: Socket, state: State): void {
  const fromClient = messages(true)
  const fromDatabase = messages(false)
  let losing: Loss | null = null
  const cut = (loss: Loss) => {
    client.destroy()
    database.destroy()
    loss.done()
  }
  client.on('data', (chunk: Buffer) => {
    if (state.mode === 'silent') return
    for (const message of fromClient(chunk)) {
      const statement = statementOf(message)
      if (statement !== null) losing ??= lossAt(state, statement)
      if (losing?.what === 'request') return cut(losing)
      database.write(message)
    }
  })
  database.on('data', (chunk: Buffer) => {
    if (state.mode === 'silent') return
    for (const message of fromDatabase(chunk)) {
      if (losing === null) client.write(message)
      else if (message[0] === READY_FOR_QUERY) return cut(losing)
    }
  })
}

function lossAt(state: State, statement: string): Loss | null {
  state.statements.push(statement)
  for (const loss of state.losses) {
    if (loss.statement !== null && loss.statement !== statement) continue
    loss.left -= 1
    if (loss.left > 0) continue
    state.losses = state.losses.filter((one) => one !== loss)
    return loss
  }
  return null
}

const BIND = 0x42 // B
const QUERY = 0x51 // Q
const READY_FOR_QUERY = 0x5a // Z

/** Name of a prepared statement that is bound, or `commit`; null for a message of any other kind. */
function statementOf(message: Buffer): string | null {
  if (message[0] === QUERY) return /^commit\b/i.test(message.toString('utf8', 5)) ? 'commit' : null
  if (message[0] !== BIND) return null
  const from = message.indexOf(0, 5) + 1
  const name = message.toString('utf8', from, message.indexOf(0, from))
  return name.startsWith('store.') ? null : name
}

/** Cuts a stream into whole messages. The first one of a client has no code before its length. */
function messages(isOfClient: boolean): (chunk: Buffer) => Buffer[] {
  let held: Buffer = Buffer.alloc(0)
  let codeBytes = isOfClient ? 0 : 1
  return (chunk) => {
    held = Buffer.concat([held, chunk])
    const whole: Buffer[] = []
    while (held.length >= codeBytes + 4) {
      const size = codeBytes + held.readUInt32BE(codeBytes)
      if (held.length < size) break
      whole.push(held.subarray(0, size))
      held = held.subarray(size)
      codeBytes = 1
    }
    return whole
  }
}
