import { setting } from './setting.ts'
import { databaseUrl, flag, integer, text } from './setting-types.ts'

/** The database. */
export const databaseSettings = {
  databaseUrl: setting(
    'DATABASE_URL',
    databaseUrl(),
    null,
    'PostgreSQL 15 or newer. Several hosts (`postgresql://user@host1:port,host2:port/database`) are tried in order at each new connection, and the one that accepts writes is used; with one host `?target_session_attrs=read-write` asks for the same. Without it the embedded database under DATA_DIR is used (development only). `?sslmode=verify-full` encrypts the connection and verifies the server, with `&sslrootcert=` and the path of a PEM file for a private certificate authority.',
  ),
  databasePoolMax: setting(
    'DATABASE_POOL_MAX',
    integer(1, 500),
    10,
    'Maximum number of connections to PostgreSQL per process.',
  ),
  databaseTimeoutSeconds: setting(
    'DATABASE_TIMEOUT_SECONDS',
    integer(2, 300),
    10,
    'Time limit of one round trip to PostgreSQL, and of waiting for a connection. After it the connection is closed and the caller is answered 503. Migrations have none.',
  ),
  databasePrepared: setting(
    'DATABASE_PREPARED',
    flag(),
    true,
    'Whether statements are prepared once for each connection. false for a proxy that pools transactions and keeps no prepared statements (PgBouncer before 1.21, or with max_prepared_statements=0); each statement is then parsed at each use.',
  ),
  dataDir: setting(
    'DATA_DIR',
    text(),
    './data',
    'Folder of the embedded database and of the development master key. One process at a time.',
  ),
} as const
