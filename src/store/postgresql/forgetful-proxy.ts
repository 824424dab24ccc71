import pg from 'pg'
import { withTimeLimit } from '../../time-limit.ts'
import { OneTrip, type Preparing, stepOf } from './one-trip.ts'

const probe = stepOf({ name: 'store.probe_prepared', text: 'select 1 as found' }, [])
const MS_MAX = 2000
const UNKNOWN_STATEMENT = '26000'

/**
 * Throws if the address is that of a proxy that gives the session of one client to another and does not keep their
 * prepared statements. Such a proxy works after the start for as long as it uses the same session, so the settings
 * alone do not show it.
 */
export async function refuseForgetfulProxy(url: string): Promise<void> {
  const clients: pg.Client[] = []
  const open = async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: MS_MAX })
    client.on('error', () => undefined)
    clients.push(client)
    await client.connect()
    return client
  }
  try {
    const first = await open()
    await send(first, 'once')
    const isShared = await succeeds(send(await open(), 'assumed'))
    if (isShared || (await isLostBehind(await open(), first))) throw new Error(ADVICE)
  } finally {
    for (const client of clients) void client.end().catch(() => undefined)
  }
}

const ADVICE =
  'the proxy at DATABASE_URL pools transactions and keeps no prepared statements: set max_prepared_statements of PgBouncer 1.21 or newer to at least 100, or DATABASE_PREPARED=false'

/** Whether the statement of `first` is unknown once another client occupies the session in which it was prepared. */
async function isLostBehind(occupant: pg.Client, first: pg.Client): Promise<boolean> {
  await occupant.query('begin')
  const outcome = await send(first, 'once').catch((error: unknown) => error)
  return outcome instanceof pg.DatabaseError && outcome.code === UNKNOWN_STATEMENT
}

function send(client: pg.Client, how: Preparing): Promise<unknown[]> {
  return withTimeLimit(client.query(new OneTrip([probe], how)).rows, MS_MAX, () => new Error('no answer'))
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
