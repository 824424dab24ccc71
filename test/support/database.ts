import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openStore } from '../../src/store/opening/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { embeddedTemplate } from './embedded-template.ts'

/** A database of its own for one test file, migrated. `url` is null for the embedded engine. */
export type TestDatabase = { readonly store: Store; readonly url: string | null; readonly close: () => Promise<void> }

const TEMPLATE = 'chirograph_template'

/** URL of the PostgreSQL server that the run was given, or null: then tests use the embedded engine. */
export const postgresUrl = process.env.TEST_POSTGRES_URL ?? null

/** Opens an empty, migrated database: on the given PostgreSQL server if there is one, else embedded and in memory. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const url = postgresUrl === null ? null : await createDatabase(postgresUrl)
  const startFrom = url === null ? await embeddedTemplate() : null
  const options = { databaseUrl: url, dataDir: null, startFrom, poolMax: 10, onIdleError: () => undefined }
  const store = await openStore(options)
  await store.migrate()
  return {
    store,
    url,
    close: async () => {
      await store.close()
      if (url !== null) await dropDatabase(url)
    },
  }
}

/** Copies the migrated template, which the first caller makes. */
export async function createDatabase(server: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    // One at a time: a template may not be copied while another session is connected to it.
    await client.query('select pg_advisory_lock(4711)')
    const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE])
    if (rowCount === 0) await makeTemplate(client, server)
    await client.query(`create database ${name} template ${TEMPLATE}`)
  } finally {
    await client.end()
  }
  return at(server, name)
}

/** Removes a database and ends its connections. */
export function dropDatabase(url: string): Promise<void> {
  return onServer(at(url, 'postgres'), `drop database if exists ${nameIn(url)} with (force)`)
}

/** Copies a database to which nobody is connected. @returns puts the copy in place of the database */
export async function copyDatabase(url: string): Promise<() => Promise<void>> {
  const [server, name] = [at(url, 'postgres'), nameIn(url)]
  await onServer(server, `create database ${name}_copy template ${name}`)
  return async () => {
    await onServer(server, `drop database ${name} with (force)`)
    await onServer(server, `alter database ${name}_copy rename to ${name}`)
  }
}

async function makeTemplate(client: pg.Client, server: string): Promise<void> {
  await client.query(`create database ${TEMPLATE}_new`)
  const store = await openStore({
    databaseUrl: at(server, `${TEMPLATE}_new`),
    dataDir: null,
    poolMax: 1,
    onIdleError: () => undefined,
  })
  await store.migrate()
  await store.close()
  await client.query(`alter database ${TEMPLATE}_new rename to ${TEMPLATE}`)
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

function at(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1)
}
