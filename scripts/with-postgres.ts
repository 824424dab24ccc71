import { spawn } from 'node:child_process'
import { startPostgres } from '../test/support/postgres.ts'

/**
 * Runs a command with a temporary PostgreSQL server, whose address is in TEST_POSTGRES_URL. Exits with the status of
 * the command.
 */
const [program = 'node', ...args] = process.argv.slice(2)
const server = await startPostgres()
const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, TEST_POSTGRES_URL: server.url } })
const status = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
await server.stop()
process.exitCode = status
