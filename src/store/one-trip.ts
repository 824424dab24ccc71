import pg from 'pg'
import { serialize } from 'pg-protocol'
import { AnswerSocket } from './answer-socket.ts'
import { bindMessage } from './bind-message.ts'
import { oncePer } from './once-per.ts'
import type { Sql } from './store.ts'
import { toWire } from './wire-values.ts'

/** A statement with its parameters as they will be sent. Made by {@link stepOf}; may be sent again and again. */
export type Step = { readonly statement: Sql; readonly bind: Buffer }

/** What we use of the connection under a client of `pg`; it is what every submittable of that library is given. */
type Connection = { readonly stream: { readonly write: (bytes: Buffer) => void } }
type Column = { readonly name: string; readonly read: (text: string) => unknown }

const PARSE_COMPLETE = 0x31 // 1
const BIND_COMPLETE = 0x32 // 2
const CLOSE_COMPLETE = 0x33 // 3
const COMMAND_COMPLETE = 0x43 // C
const DATA_ROW = 0x44 // D

const describe = serialize.describe({ type: 'P' })
const execute = serialize.execute()
const sync = serialize.sync()

/** Puts parameters to a statement. @throws TypeError for a value that cannot be sent */
export function stepOf(statement: Sql, values: readonly unknown[]): Step {
  return { statement, bind: bindMessage(statement.name, values.map(toWire)) }
}

/** Statements that a connection has prepared. */
const preparedBy = oncePer((_connection: Connection) => new Set<string>())

/** What a statement answers with. The text of a statement never changes, so it is asked for once in the life of the process. */
const shapes = new Map<string, readonly Column[]>()

/**
 * Some statements in one write and one answer, by the extended query protocol with a single Sync at the end. Without BEGIN among them
 * they are one transaction: all of them count or none. Only the rows of the last one are kept.
 *
 * The library sends a Sync after each statement, which makes every one of them a write of its own and a transaction of its own.
 *
 * @see [PostgreSQL, 55.2.4 Pipelining](https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING)
 */
export class OneTrip<Row> {
  readonly rows: Promise<Row[]>
  readonly #steps: readonly Step[]
  readonly #found: Row[] = []
  #columns: readonly Column[] | null = null
  #done = 0
  #newlyPrepared: string[] = []
  #resolve: (rows: Row[]) => void = () => undefined
  #reject: (error: Error) => void = () => undefined

  constructor(steps: readonly Step[]) {
    this.#steps = steps
    this.rows = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Called by the library when it is this one's turn. What it returns is handed to `handleError`. */
  submit(connection: Connection): Error | null {
    const last = this.#steps.at(-1)
    if (last === undefined) return new Error('nothing to run')
    this.#columns = shapes.get(last.statement.name) ?? null
    const messages: Buffer[] = []
    for (const { statement, bind } of this.#steps) {
      this.#prepare(connection, statement, messages)
      messages.push(bind)
      if (statement === last.statement && this.#columns === null) messages.push(describe)
      messages.push(execute)
    }
    messages.push(sync)
    if (connection.stream instanceof AnswerSocket) connection.stream.answers.reader = this
    connection.stream.write(Buffer.concat(messages))
    return null
  }

  /** Reads what a statement mostly answers, where our own socket hands it over; the rest, and with TLS all of it, comes by the library. */
  read(code: number, bytes: Buffer, from: number): boolean {
    if (code === DATA_ROW) this.#readRow(bytes, from)
    else if (code === COMMAND_COMPLETE) this.#done += 1
    else return code === BIND_COMPLETE || code === PARSE_COMPLETE || code === CLOSE_COMPLETE
    return true
  }

  #readRow(bytes: Buffer, from: number): void {
    if (this.#done !== this.#steps.length - 1) return
    const row: Record<string, unknown> = {}
    // behind the number of columns, which is known
    let at = from + 2
    for (const { name, read } of this.#columns ?? []) {
      const length = bytes.readInt32BE(at)
      at += 4
      row[name] = length === -1 ? null : read(bytes.toString('utf8', at, at + length))
      at += Math.max(0, length)
    }
    this.#found.push(row as Row)
  }

  #prepare(connection: Connection, { name, text }: Sql, messages: Buffer[]): void {
    const known = preparedBy(connection)
    if (known.has(name)) return
    known.add(name)
    this.#newlyPrepared.push(name)
    // After an error it is unknown whether it was prepared. Closing what is not there is no error.
    messages.push(serialize.close({ type: 'S', name }), serialize.parse({ name, text }))
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, read: pg.types.getTypeParser(dataTypeID, 'text') }))
    const last = this.#steps.at(-1)
    if (last !== undefined) shapes.set(last.statement.name, this.#columns)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#done !== this.#steps.length - 1) return
    const row: Record<string, unknown> = {}
    let index = 0
    for (const { name, read } of this.#columns ?? []) {
      const text = fields[index] ?? null
      index += 1
      row[name] = text === null ? null : read(text)
    }
    this.#found.push(row as Row)
  }

  handleCommandComplete(): void {
    this.#done += 1
  }

  handleEmptyQuery(): void {
    this.#done += 1
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#found)
  }

  handleError(error: Error, connection: Connection): void {
    for (const name of this.#newlyPrepared) preparedBy(connection).delete(name)
    this.#reject(error)
  }

  handlePortalSuspended(): void {
    this.#reject(new Error('a portal was suspended although all rows were asked for'))
  }

  handleCopyInResponse(): void {
    this.#reject(new Error('COPY is not used here'))
  }

  handleCopyData(): void {
    this.#reject(new Error('COPY is not used here'))
  }
}
