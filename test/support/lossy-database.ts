import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { DatabaseUnavailable } from '../../src/store/database-unavailable.ts'
import type { Values } from '../../src/store/named-parameters.ts'
import type { Sql, Step, Store, TenantTx } from '../../src/store/store.ts'

/** Loses statements on their way to the database, or the answers to them, at an exact statement. */
export type Losses = {
  /**
   * Names of the statements in the order in which they arrived, `commit` included; without those that open a
   * transaction. Clear it freely.
   */
  readonly statements: string[]
  /**
   * Loses statements and ends their connections. `request`: it never reaches the database. `answer`: the database runs
   * it (and commits, where it is the last of its transaction), and the answer never arrives.
   *
   * @param at The `nth` statement from now on (1 by default), of those named `statement` if given, and so many in a row
   *   (1 by default).
   * @returns Resolves when the first one is lost.
   */
  readonly lose: (
    what: 'request' | 'answer',
    at?: { statement?: string; nth?: number; times?: number },
  ) => Promise<void>
}

/**
 * A TCP proxy in front of a PostgreSQL server. Use it as the server's address:
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
export type LossyDatabase = Losses & {
  readonly url: string
  /** Ends all connections and refuses new ones, as a server that is down. */
  readonly goDown: () => void
  /** Lets nothing through and ends nothing, as a host without power. */
  readonly goSilent: () => void
  /** New connections work again. Those that hung are ended. */
  readonly comeBack: () => void
  readonly close: () => Promise<void>
}

type Loss = { readonly what: 'request' | 'answer'; readonly done: () => void }
/** Records a statement that arrives. @returns its loss, or null */
type LossAt = (statement: string) => Loss | null
type State = { mode: 'up' | 'down' | 'silent'; readonly lossAt: LossAt }

/**
 * A store on any database that loses statements of tenants, none of `across`. What is lost inside a transaction takes
 * the transaction with it.
 */
export function lossyStore(store: Store): Losses & { readonly store: Store } {
  const { lossAt, ...losses } = planLosses()
  return {
    ...losses,
    store: {
      ...store,
      // One statement is its own transaction: its answer is lost after the commit.
      single: (tenantId, work) => losing(lossAt, false, (lossy) => store.single(tenantId, lossy), work),
      inTenant: (tenantId, work) => losing(lossAt, true, (lossy) => store.inTenant(tenantId, lossy), work),
    },
  }
}

async function losing<T>(
  lossAt: LossAt,
  hasCommit: boolean,
  run: (work: (tx: TenantTx) => Promise<T>) => Promise<T>,
  work: (tx: TenantTx) => Promise<T>,
): Promise<T> {
  let lost: Loss | null = null
  const cut = ({ done }: Loss) => {
    done()
    return new DatabaseUnavailable('connection lost')
  }
  const arrive = (statement: string) => {
    const loss = lossAt(statement)
    if (loss?.what === 'request') throw cut(loss)
    lost = loss
  }
  const answered = <R>(made: R): R => {
    if (lost !== null) throw cut(lost)
    return made
  }
  const rows =
    (tx: TenantTx): TenantTx['rows'] =>
    async <Row>(statement: Sql, values?: Values, then?: readonly Step[]) => {
      arrive(statement.name)
      const found = await tx.rows<Row>(statement, values, then)
      return hasCommit ? answered(found) : found
    }
  const made = await run(async (tx) => {
    const result = await work({ ...tx, rows: rows(tx) })
    if (hasCommit) arrive('commit')
    return result
  })
  return answered(made)
}

function planLosses(): Losses & { readonly lossAt: LossAt } {
  const planned = new Set<Loss & { readonly statement: string | undefined; before: number; left: number }>()
  const statements: string[] = []
  return {
    statements,
    lose: (what, { statement, nth = 1, times = 1 } = {}) =>
      new Promise((done) => {
        planned.add({ what, statement, before: nth - 1, left: times, done })
      }),
    lossAt: (statement) => {
      statements.push(statement)
      for (const one of planned) {
        if (one.statement !== undefined && one.statement !== statement) continue
        one.before -= 1
        if (one.before >= 0) continue
        one.left -= 1
        if (one.left === 0) planned.delete(one)
        return one
      }
      return null
    },
  }
}

/** Starts a proxy for the database at `target`. */
export async function lossyDatabase(target: string): Promise<LossyDatabase> {
  const { lossAt, ...losses } = planLosses()
  const state: State = { mode: 'up', lossAt }
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
    ...losses,
    url: url.href,
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
  const readStatement = statementReader()
  let losing: Loss | null = null
  const cut = (loss: Loss) => {
    client.destroy()
    database.destroy()
    loss.done()
  }
  client.on('data', (chunk: Buffer) => {
    if (state.mode === 'silent') return
    for (const message of fromClient(chunk)) {
      const statement = readStatement(message)
      if (statement !== null) losing ??= state.lossAt(statement)
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

const BIND = 0x42 // B
const PARSE = 0x50 // P
const QUERY = 0x51 // Q
const READY_FOR_QUERY = 0x5a // Z

/**
 * Reads the messages of a client in their order: the name of a prepared statement that is bound, or `commit`; null for
 * a message of any other kind, and for the commands that open a transaction.
 */
function statementReader(): (message: Buffer) => string | null {
  let isCommand = false
  return (message) => {
    if (message[0] === QUERY) return /^commit\b/i.test(message.toString('utf8', 5)) ? 'commit' : null
    // A parsed statement without a name, whose text follows.
    if (message[0] === PARSE && message[5] === 0) isCommand = message.toString('utf8', 6).startsWith('set local ')
    if (message[0] !== BIND) return null
    const from = message.indexOf(0, 5) + 1
    const name = message.toString('utf8', from, message.indexOf(0, from))
    return name.startsWith('store.') || (name === '' && isCommand) ? null : name
  }
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
