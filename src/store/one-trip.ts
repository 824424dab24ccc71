import pg from 'pg'
import type { Sql } from './store.ts'
import { toWire } from './wire-values.ts'

/** A statement with its parameters. */
export type Step = { readonly statement: Sql; readonly values: readonly unknown[] }

/** What we use of the connection under a client of `pg`; it is what every submittable of that library is given. */
type Connection = {
  readonly stream: { readonly cork: () => void; readonly uncork: () => void }
  readonly parse: (message: { name: string; text: string }) => void
  readonly close: (message: { type: 'S'; name: string }) => void
  readonly bind: (message: { statement: string; values: (string | Buffer | null)[] }) => void
  readonly describe: (message: { type: 'P'; name: '' }) => void
  readonly execute: (message: Record<never, never>) => void
  readonly sync: () => void
}
type Column = { readonly name: string; readonly read: (text: string) => unknown }

/** Statements that a connection has prepared. */
const prepared = new WeakMap<Connection, Set<string>>()
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
  readonly #bound: readonly (string | Buffer | null)[][]
  readonly #found: Row[] = []
  #columns: readonly Column[] | null = null
  #done = 0
  #newlyPrepared: string[] = []
  #resolve: (rows: Row[]) => void = () => undefined
  #reject: (error: Error) => void = () => undefined

  /** @throws TypeError for a value that cannot be sent; then nothing was. */
  constructor(steps: readonly Step[]) {
    this.#steps = steps
    this.#bound = steps.map(({ values }) => values.map(toWire))
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
    connection.stream.cork()
    for (const [index, { statement }] of this.#steps.entries()) {
      this.#prepare(connection, statement)
      connection.bind({ statement: statement.name, values: this.#bound[index] ?? [] })
      if (statement === last.statement && this.#columns === null) connection.describe({ type: 'P', name: '' })
      connection.execute({})
    }
    connection.sync()
    connection.stream.uncork()
    return null
  }

  #prepare(connection: Connection, { name, text }: Sql): void {
    const known = prepared.get(connection) ?? new Set()
    prepared.set(connection, known)
    if (known.has(name)) return
    // After an error it is unknown whether it was prepared. Closing what is not there is no error.
    connection.close({ type: 'S', name })
    connection.parse({ name, text })
    known.add(name)
    this.#newlyPrepared.push(name)
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, read: pg.types.getTypeParser(dataTypeID, 'text') }))
    const last = this.#steps.at(-1)
    if (last !== undefined) shapes.set(last.statement.name, this.#columns)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#done !== this.#steps.length - 1) return
    const row: Record<string, unknown> = {}
    for (const [index, { name, read }] of (this.#columns ?? []).entries()) {
      const text = fields[index] ?? null
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
    for (const name of this.#newlyPrepared) prepared.get(connection)?.delete(name)
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
