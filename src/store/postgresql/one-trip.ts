import pg from 'pg'
import { readOwnJson } from '../../crypto/json.ts'
import { REFUSED_STATE, Refused, type Sql } from '../store.ts'
import { toWire } from '../wire-values.ts'
import { isReadOnly, isServerLeaving } from './lost-connection.ts'

/** A statement with its encoded parameters. Made by {@link stepOf}. */
export type EncodedStep = { readonly statement: Sql; readonly values: readonly (string | Buffer | null)[] }

type Column = { readonly name: string; readonly read: (text: string) => unknown }
type Fields = readonly (string | null)[]

/** `json` and `jsonb`, whose member names may be of foreign origin. */
const JSON_OIDS: ReadonlySet<number> = new Set([114, 3802])

/** Binds parameters to a statement. @throws TypeError for a value that cannot be sent */
export function stepOf(statement: Sql, values: readonly unknown[]): EncodedStep {
  return { statement, values: values.map(toWire) }
}

/**
 * `once`: each statement is prepared once a connection. `unnamed`: with each use, for proxies that keep no prepared
 * statements. `assumed`: never, another connection has done it.
 */
export type Preparing = 'once' | 'unnamed' | 'assumed'

/** Names of the prepared statements of a connection; at most as many as the code has. */
const preparedBy = new WeakMap<pg.Connection, Set<string>>()

/**
 * Sends statements in one round trip, by the extended query protocol with a single Sync at the end. Without BEGIN among
 * them they are one transaction. Returns the rows of one statement, by default of the last. Sent at most once.
 *
 * The library sends a Sync after each statement, which makes each a write and a transaction of its own.
 *
 * @see [PostgreSQL, 55.2.4 Pipelining](https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING)
 */
export class OneTrip<Row> implements pg.Submittable {
  readonly rows: Promise<Row[]>
  readonly #steps: readonly EncodedStep[]
  readonly #preparing: Preparing
  readonly #returning: number
  readonly #found: Fields[] = []
  #columns: readonly Column[] = []
  #done = 0
  #isSent = false
  readonly #newlyPrepared: string[] = []
  readonly #resolve: (rows: Row[]) => void
  readonly #reject: (error: unknown) => void

  /** @param returning Index of the statement whose rows are returned. */
  constructor(steps: readonly EncodedStep[], preparing: Preparing = 'once', returning = steps.length - 1) {
    this.#steps = steps
    this.#preparing = preparing
    this.#returning = returning
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>()
    this.rows = promise
    this.#resolve = resolve
    this.#reject = reject
  }

  /** Called by the library when the connection is idle. An error that it returns is passed to `handleError`. */
  submit(connection: pg.Connection): Error | null {
    // The rows of a second response would be added to those of the first.
    if (this.#isSent) return new Error('these statements were sent before')
    this.#isSent = true
    connection.stream.cork()
    for (const [index, { statement, values }] of this.#steps.entries()) {
      this.#prepare(connection, statement)
      const name = this.#preparing === 'unnamed' ? '' : statement.name
      connection.bind({ statement: name, values: [...values] }, true)
      if (index === this.#returning) connection.describe({ type: 'P' }, true)
      connection.execute({}, true)
    }
    connection.sync()
    connection.stream.uncork()
    return null
  }

  /**
   * Whether an error proves that no statement ran: nothing was sent, the session had ended before, or the server
   * accepts no writes.
   */
  hadNoEffect(error: unknown): boolean {
    if (!this.#isSent || isReadOnly(error)) return true
    // A session that is ended while a statement runs has sent the completion of the one before.
    return this.#done === 0 && isServerLeaving(error)
  }

  #prepare(connection: pg.Connection, { name, text }: Sql): void {
    // A statement without a name is planned at each use, and replaces the one before it.
    const isUnnamed = this.#preparing === 'unnamed' || name === ''
    if (isUnnamed) connection.parse({ name: '', text, types: [] }, true)
    if (isUnnamed || this.#preparing !== 'once') return
    const known = preparedBy.get(connection) ?? new Set()
    preparedBy.set(connection, known)
    if (known.has(name)) return
    known.add(name)
    this.#newlyPrepared.push(name)
    // After an error it is unknown whether the statement is prepared. Closing an unknown statement is no error.
    connection.close({ type: 'S', name }, true)
    connection.parse({ name, text, types: [] }, true)
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => {
      return { name, read: JSON_OIDS.has(dataTypeID) ? readOwnJson : pg.types.getTypeParser(dataTypeID, 'text') }
    })
  }

  handleDataRow({ fields }: { fields: Fields }): void {
    if (this.#done === this.#returning) this.#found.push(fields)
  }

  handleCommandComplete(): void {
    this.#done += 1
  }

  handleEmptyQuery(): void {
    this.#done += 1
  }

  handleReadyForQuery(): void {
    // Not as the rows arrive: an error in a listener of the socket would end the process.
    try {
      this.#resolve(this.#found.map((fields) => rowOf<Row>(this.#columns, fields)))
    } catch (error) {
      this.#reject(error)
    }
  }

  handleError(error: Error, connection: pg.Connection): void {
    for (const name of this.#newlyPrepared) preparedBy.get(connection)?.delete(name)
    // PostgreSQL answers in order and skips what follows an error.
    const failed = this.#steps[this.#done]?.statement
    const isRefused = error instanceof pg.DatabaseError && error.code === REFUSED_STATE
    this.#reject(isRefused && failed?.decides === true ? new Refused(failed) : error)
  }

  handlePortalSuspended(): void {
    this.#reject(new Error('a portal was suspended although all rows were requested'))
  }

  handleCopyInResponse(): void {
    this.#reject(new Error('COPY is not used here'))
  }

  handleCopyData(): void {
    this.#reject(new Error('COPY is not used here'))
  }
}

function rowOf<Row>(columns: readonly Column[], fields: Fields): Row {
  const row: Record<string, unknown> = {}
  for (const [index, { name, read }] of columns.entries()) {
    const text = fields[index] ?? null
    row[name] = text === null ? null : read(text)
  }
  return row as Row
}
