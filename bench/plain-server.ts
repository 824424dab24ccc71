// A server with nothing but the framework and the driver that ours has: what an empty route costs, one with a read and
// one with a write of the database. `node bench/plain-server.ts PORT DATABASE_URL`; ends with SIGTERM.
import Fastify from 'fastify'
import pg from 'pg'

const [port, connectionString] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 10 })
await pool.query(
  'create table if not exists plain (id uuid primary key, at timestamptz not null default now(), text text)',
)
const counts = { statements: 0 }
const server = Fastify({ logger: false })
server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, text, done) => {
  done(null, Object.fromEntries(new URLSearchParams(String(text))))
})

const answer = { access_token: 'x'.repeat(420), token_type: 'Bearer', expires_in: 300, scope: 'users:read' }
const query = (name: string, text: string) => {
  counts.statements += 1
  return pool.query({ name, text })
}
server.post('/empty', async () => answer)
server.post('/read', async () => {
  await query('plain.read', 'select id, at, text from plain order by id limit 1')
  return answer
})
server.post('/write', async () => {
  await query('plain.write', `insert into plain (id, text) values (gen_random_uuid(), 'an entry')`)
  return answer
})
server.get('/metrics', async () => {
  const { user, system } = process.cpuUsage()
  const figures = {
    process_cpu_seconds_total: (user + system) / 1e6,
    store_statements_total: counts.statements,
    store_round_trips_total: counts.statements,
    process_resident_memory_bytes: process.memoryUsage.rss(),
  }
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value}\n`)
    .join('')
})
await server.listen({ port: Number(port), host: '127.0.0.1' })
process.send?.('listening')
process.once('SIGTERM', () => process.exit(0))
