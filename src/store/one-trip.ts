import pg from 'pg'
import { serialize } from 'pg-protocol'
import type { Sql } from './store.ts'
import { toWire } from './wire-values.ts'

/** A statement with its parameters as they will be sent. Made by {@link stepOf}; may be sent again and again. */
export type Step = { readonly statement: Sql; readonly bind: Buffer }

/** What we use of the connection under a client of `pg`; it is what every submittable of that library is given. */
type Connection = { readonly stream: { readonly write: (bytes: Buffer) => void } }
type Column = { readonly name: string; readonly read: (text: string) => unknown }

const describe = serialize.describe({ type: 'P' })
const execute = serialize.execute()
const sync = serialize.sync()

/** Puts parameters to a statement. @throws TypeError for a value that cannot be sent */
export function stepOf(statement: Sql, values: readonly unknown[]): Step {
  return { statement, bind: serialize.bind({ statement: statement.name, values: values.map(toWire) }) }
}

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
      messages.push(...this.#preparing(connection, statement), bind)
      if (statement === last.statement && this.#columns === null) messages.push(describe)
      messages.push(execute)
    }
    messages.push(sync)
    connection.stream.write(Buffer.concat(messages))
    return null
  }

  #preparing(connection: Connection, { name, text }: Sql): Buffer[] {
    const known = prepared.get(connection) ?? new Set()
    prepared.set(connection, known)
    if (known.has(name)) return []
    known.add(name)
    this.#newlyPrepared.push(name)
    // After an error it is unknown whether it was prepared. Closing what is not there is no error.
    return [serialize.close({ type: 'S', name }), serialize.parse({ name, text })]
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
