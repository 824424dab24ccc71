import { spawn } from 'node:child_process'
import { startPostgres } from '../test/support/postgres.ts'

/** Runs a command with a PostgreSQL server of its own, whose address it finds in TEST_POSTGRES_URL. Ends with the command's status. */
const [program = 'node', ...args] = process.argv.slice(2)
const server = await startPostgres()
const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, TEST_POSTGRES_URL: server.url } })
const status = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
await server.stop()
process.exitCode = status
