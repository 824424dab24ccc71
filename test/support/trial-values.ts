import pg from 'pg'

/** The tenant of the trials. No row has it. */
const TENANT = '0198f3a0-0000-7000-8000-000000000001'
/** A value of each type that statements take. */
const SAMPLES: Readonly<Record<string, string>> = {
  uuid: `'${TENANT}'`,
  text: `'a'`,
  integer: '1',
  bigint: '1',
  boolean: 'true',
  'timestamp with time zone': `'2026-01-01T00:00:00Z'`,
  date: `'2026-01-01'`,
  jsonb: `'{}'`,
  bytea: `decode(repeat('00', 32), 'hex')`,
  sha256_digest: `decode(repeat('00', 32), 'hex')`,
  bit: `B'0'`,
  xid8: `'1'`,
}

/**
 * Runs each statement with sample values in a transaction of its own, which is rolled back: as a tenant without rows,
 * or else across tenants.
 *
 * @returns the errors by name of the statement, without those about the values (SQLSTATE classes 22 and 23)
 */
export async function refusedStatements(
  url: string,
  statements: Iterable<readonly [string, string]>,
): Promise<ReadonlyMap<string, string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const refused = new Map<string, string>()
  try {
    for (const [name, text] of statements) {
      const errors = []
      for (const role of ['chirograph_app', 'chirograph_across']) {
        const error = await refusalOf(client, role, text)
        if (error === null) break
        errors.push(error)
      }
      const telling = errors.find((one) => !one.startsWith('permission denied')) ?? errors[0]
      if (errors.length === 2 && telling !== undefined) refused.set(name, telling)
    }
  } finally {
    await client.end()
  }
  return refused
}

async function refusalOf(client: pg.Client, role: string, text: string): Promise<string | null> {
  try {
    // As the store does it on a distributed database, where SET LOCAL would also replace the owner of functions that
    // run as their owner: Citus repeats it on the workers, with all that stands in the same text.
    await client.query('begin')
    await client.query(`select set_config('role', '${role}', true)`)
    await client.query(`set local chirograph.tenant_id = '${TENANT}'`)
    await client.query(`prepare trial as ${text}`)
    const types = await client.query<{ types: string[] }>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'trial'`,
    )
    const values = types.rows.flatMap((row) => row.types.map(sampleOf)).join(', ')
    await client.query(`execute trial${values === '' ? '' : `(${values})`}`)
    return null
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    return /^2[23]/.test(error.code ?? '') ? null : error.message
  } finally {
    await client.query('rollback')
    await client.query('deallocate all')
  }
}

function sampleOf(type: string): string {
  const element = type.endsWith('[]') ? type.slice(0, -2) : null
  if (element === null) return `${SAMPLES[type] ?? 'null'}::${type}`
  return `array[${SAMPLES[element] ?? 'null'}]::${type}`
}
