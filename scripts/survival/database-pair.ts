import pg from 'pg'
import { lossyDatabase } from '../../test/support/lossy-database.ts'
import { startPostgres } from '../../test/support/postgres.ts'

/** A primary with a synchronous standby, both durable, each behind an address that can be cut. */
export type DatabasePair = {
  /** Names both hosts, as servers are configured. */
  readonly url: string
  /** Ends the primary without warning; its connections are cut. */
  readonly kill: () => void
  /** Lets nothing through to the primary and back, and ends no connection. */
  readonly silence: () => void
  /** Makes the standby the primary. @returns when it accepts writes */
  readonly promote: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts both. */
export async function startPair(): Promise<DatabasePair> {
  const primary = await startPostgres({ durable: true })
  const standby = await startPostgres({ durable: true, standbyOf: primary.url })
  // After the standby was made, which so has no standby to wait for itself.
  await onServer(primary.url, `alter system set synchronous_standby_names = '*'`, 'select pg_reload_conf()')
  const [front, side] = [await lossyDatabase(primary.url), await lossyDatabase(standby.url)]
  const url = new URL(front.url)
  const hosts = [front.url, side.url].map((one) => new URL(one).host).join(',')
  let isKilled = false
  return {
    url: `postgresql://${url.username}@${hosts}${url.pathname}?target_session_attrs=read-write`,
    kill: () => {
      isKilled = true
      primary.kill()
      front.goDown()
    },
    silence: front.goSilent,
    promote: () => onServer(standby.url, 'select pg_promote(true, 60)'),
    stop: async () => {
      await Promise.all([front.close(), side.close()])
      if (isKilled) primary.clear()
      else await primary.stop()
      await standby.stop()
    },
  }
}

async function onServer(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const one of statements) await client.query(one)
  await client.end()
}
