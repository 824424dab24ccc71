import pg from 'pg'
import { FairPlaces, NoPlace, type Release } from '../../memory/fair-places.ts'
import { places } from '../../memory/places.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'
import { distributionOf } from '../distribution/layout.ts'
import {
  ANSWER_MS_MAX,
  type BoundStep,
  type Engine,
  type OwnerWork,
  type RunStatement,
  statementMsMax,
} from '../engine.ts'
import { Refused, type Sql } from '../store.ts'
import { refuseForgetfulProxy } from './forgetful-proxy.ts'
import { openHosts } from './hosts.ts'
import { explained, isDiskFull, isServerLost } from './lost-connection.ts'
import { type EncodedStep, OneTrip, stepOf } from './one-trip.ts'
import { contextStepsOf } from './session-context.ts'

type Options = {
  readonly url: string
  readonly poolMax: number
  readonly onIdleError: (error: Error) => void
  /** Time limit of one round trip; 10 s by default. PostgreSQL ends a statement before it, and keeps the connection. */
  readonly answerMsMax?: number | undefined
  /** Whether statements are prepared; false for a proxy that keeps no prepared statements. */
  readonly isPrepared?: boolean | undefined
}

/**
 * Opens the engine for production. The commands that open a transaction are sent with its first statement; a
 * transaction of one statement is one round trip, its commit included. A session keeps only prepared statements after a
 * transaction, so a transaction-pooling proxy (PgBouncer 1.21 or newer with `max_prepared_statements`) works.
 *
 * A connection that does not respond in time is closed, and the caller gets {@link DatabaseUnavailable}. Statements
 * that surely had no effect are sent once more, by another connection.
 */
export function openPostgresql(options: Options): Engine {
  const { answerMsMax = ANSWER_MS_MAX, isPrepared = true } = options
  const hosts = openHosts({ ...options, answerMsMax })
  const connections = new FairPlaces({ ...places['store.connections'], countMax: options.poolMax })
  const searchesMax = Math.max(2, Math.floor(options.poolMax / 3))
  const searches = new FairPlaces({ ...places['store.searches'], countMax: searchesMax })
  let trips = 0
  let diskFullAt = Number.NEGATIVE_INFINITY
  const sent = async <T>(client: pg.PoolClient, answer: Promise<T>, hadNoEffect: (error: unknown) => boolean) => {
    trips += 1
    try {
      return await withTimeLimit(answer, answerMsMax, () => new SilentServer(answerMsMax))
    } catch (error) {
      if (isDiskFull(error)) diskFullAt = performance.now()
      const unavailable = explained(error, hadNoEffect(error))
      if (isServerLost(unavailable)) hosts.leave(client, error instanceof SilentServer)
      throw unavailable
    }
  }
  const link: Link = {
    connect: hosts.connect,
    place: (tenantId) => placeOf(connections, tenantId, answerMsMax),
    searchPlace: (tenantId) => placeOf(searches, tenantId, answerMsMax),
    url: hosts.url,
    answerMsMax,
    send: <Row>(client: pg.PoolClient, steps: readonly EncodedStep[], returning?: number) => {
      const trip = new OneTrip<Row>(steps, isPrepared ? 'once' : 'unnamed', returning)
      return sent(client, client.query(trip).rows, (error) => trip.hadNoEffect(error))
    },
    control: (client, text) => sent(client, client.query(text), () => false),
  }
  let isDistributed = false
  const { asAccount, before, around } = contextStepsOf(statementMsMax(answerMsMax), () => isDistributed)
  const readAsOwner = <T>(work: (run: RunStatement) => Promise<T>) => transaction(link, null, () => asAccount, work)
  return {
    kind: 'postgresql',
    transaction: (context, work) => transaction(link, context.tenantId, (first) => before(context, first), work),
    single: async (context, [first, ...then]) => {
      const { steps, index } = around(context, [stepOf(first.statement, first.values), ...encoded(then)])
      return single(link, context.tenantId, steps, index)
    },
    asOwner: (work) => asOwner(link, work),
    readAsOwner,
    check: async () => {
      isDistributed = (await readAsOwner(distributionOf)).kind === 'distributed'
      if (!isPrepared) return
      const client = await hosts.connect()
      client.release()
      await refuseForgetfulProxy(hosts.url())
    },
    isDiskFull: () => performance.now() - diskFullAt < DISK_FULL_MS,
    roundTrips: () => trips,
    close: hosts.close,
  }
}

/** For so long after its disk was too full for a statement a server is taken for one that refuses the next one too. */
const DISK_FULL_MS = 10_000

/** The server ends a statement before this time limit: no answer at all means that the server cannot be reached. */
class SilentServer extends Error {
  constructor(msMax: number) {
    super(`no answer within ${msMax} ms`)
  }
}

/** Sends statements, and the commands that begin and end a transaction. */
type Link = {
  readonly connect: () => Promise<pg.PoolClient>
  /**
   * Takes the place of a connection, at once if there is one.
   *
   * @throws DatabaseUnavailable if the tenant gets none in time
   */
  readonly place: (tenantId: string | null) => Release | Promise<Release>
  /** Takes the place of a transaction with a {@link isSearch} statement. @throws DatabaseUnavailable as `place` */
  readonly searchPlace: (tenantId: string | null) => Release | Promise<Release>
  /** Returns the rows of the statement with the index `returning`, by default of the last. */
  readonly send: <Row>(client: pg.PoolClient, steps: readonly EncodedStep[], returning?: number) => Promise<Row[]>
  readonly control: (client: pg.PoolClient, text: 'begin' | 'commit' | 'rollback') => Promise<pg.QueryResult>
  readonly url: () => string
  readonly answerMsMax: number
}

async function transaction<T>(
  link: Link,
  tenantId: string | null,
  opening: (first: Sql) => readonly EncodedStep[],
  work: (run: RunStatement) => Promise<T>,
): Promise<T> {
  const used = await borrow(link, tenantId)
  let isBroken = false
  let opened = false
  const searching: Release[] = []
  const run: RunStatement = async <Row>(
    statement: Sql,
    values: readonly unknown[] = [],
    then: readonly BoundStep[] = [],
  ) => {
    const steps = [stepOf(statement, values), ...encoded(then)]
    if (isSearch(statement) && searching.length === 0) searching.push(await link.searchPlace(tenantId))
    if (opened) return link.send<Row>(used.client, steps, 0)
    opened = true
    const before = opening(statement)
    return sendFirst<Row>(link, used, [...before, ...steps], before.length)
  }
  try {
    const result = await work(run)
    if (opened) await commit(link, used.client)
    return result
  } catch (error) {
    isBroken = error instanceof DatabaseUnavailable || (opened && !(await hasRolledBack(link, used.client)))
    throw error
  } finally {
    for (const leave of searching) leave()
    used.release(isBroken)
  }
}

/** Whether a statement follows from a filter: such a statement is not prepared and has no name. */
function isSearch({ name }: Sql): boolean {
  return name === ''
}

async function single<Row>(
  link: Link,
  tenantId: string | null,
  steps: readonly EncodedStep[],
  returning: number,
): Promise<Row[]> {
  const used = await borrow(link, tenantId)
  let isClean = false
  try {
    const rows = await sendFirst<Row>(link, used, steps, returning)
    isClean = true
    return rows
  } catch (error) {
    // A refused statement leaves the connection usable after a rollback; an error that ends the session does not.
    const isRefused = error instanceof Refused || (error instanceof pg.DatabaseError && error.severity === 'ERROR')
    isClean = isRefused && (await hasRolledBack(link, used.client))
    throw error
  } finally {
    used.release(!isClean)
  }
}

function encoded(steps: readonly BoundStep[]): EncodedStep[] {
  return steps.map(({ statement, values }) => stepOf(statement, values))
}

/** A connection that a transaction uses. `exchange` replaces it by another one. */
type Used = {
  readonly client: pg.PoolClient
  readonly exchange: () => Promise<void>
  readonly release: (isBroken: boolean) => void
}

async function borrow(link: Link, tenantId: string | null): Promise<Used> {
  const place = link.place(tenantId)
  // Not awaited where there is one: a store that is closed now still serves the call.
  const leave = place instanceof Promise ? await place : place
  let client: pg.PoolClient
  try {
    client = await link.connect()
  } catch (error) {
    leave()
    throw error
  }
  let isHeld = true
  const drop = (isBroken: boolean) => {
    if (isHeld) client.release(isBroken)
    isHeld = false
  }
  const release = (isBroken: boolean) => {
    drop(isBroken)
    leave()
  }
  const exchange = async () => {
    drop(true)
    client = await link.connect()
    isHeld = true
  }
  return {
    get client() {
      return client
    },
    exchange,
    release,
  }
}

/** Takes a place at once, without a timer, if the tenant may have one; else waits for it up to the time limit. */
function placeOf(shares: FairPlaces, tenantId: string | null, waitMsMax: number): Release | Promise<Release> {
  const key = tenantId ?? ''
  return shares.tryTake(key) ?? waitForPlace(shares, key, waitMsMax)
}

async function waitForPlace(shares: FairPlaces, key: string, waitMsMax: number): Promise<Release> {
  try {
    return await shares.take(key, { waitMsMax })
  } catch (cause) {
    if (!(cause instanceof NoPlace)) throw cause
    throw new DatabaseUnavailable('the connections of the tenant are in use', { cause })
  }
}

/** Sends the first statements of a transaction, and once more if they had no effect. */
async function sendFirst<Row>(
  link: Link,
  used: Used,
  steps: readonly EncodedStep[],
  returning?: number,
): Promise<Row[]> {
  try {
    return await link.send<Row>(used.client, steps, returning)
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable && error.hadNoEffect)) throw error
    await used.exchange()
    return link.send<Row>(used.client, steps, returning)
  }
}

async function asOwner<T>(link: Link, work: OwnerWork<T>): Promise<T> {
  const used = await borrow(link, null)
  const { client } = used
  let isClean = false
  // Without a time limit: a migration may wait for another process, or take long.
  const script = async (text: string) => {
    await client.query(text)
  }
  try {
    await link.control(client, 'begin')
    const run: RunStatement = (statement, values = []) => link.send(client, [stepOf(statement, values)])
    const result = await work(script, run, async (statement) => runAlone(link, statement))
    await commit(link, client)
    isClean = true
    return result
  } finally {
    used.release(!isClean)
  }
}

/** Runs one statement, which may take long, on a connection of its own, since the pool may have one connection only. */
async function runAlone({ url, answerMsMax }: Link, statement: string): Promise<void> {
  const limits = { keepAlive: true, connectionTimeoutMillis: answerMsMax }
  const client = new pg.Client({ connectionString: url(), ...limits })
  await client.connect().catch((error: unknown) => {
    throw explained(error)
  })
  await client.query(statement).finally(() => client.end())
}

async function commit(link: Link, client: pg.PoolClient): Promise<void> {
  const { command } = await link.control(client, 'commit')
  // After a failed statement whose error was swallowed PostgreSQL answers COMMIT with ROLLBACK, without an error.
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a statement in it had failed')
}

function hasRolledBack(link: Link, client: pg.PoolClient): Promise<boolean> {
  return link.control(client, 'rollback').then(
    () => true,
    // The connection is lost; the caller gets the error that ended it.
    () => false,
  )
}
