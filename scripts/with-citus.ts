import { spawn } from 'node:child_process'
import { hasCitus, startCitus } from '../test/support/citus.ts'

/**
 * Runs a command with a temporary Citus coordinator and two workers; the address of the coordinator is in
 * TEST_CITUS_URL, those of the workers in TEST_CITUS_WORKERS, separated by spaces. Exits with the status of the
 * command, or with 0 where Citus is not installed.
 */
const [program = 'node', ...args] = process.argv.slice(2)
if (hasCitus()) {
  const cluster = await startCitus()
  const env = { ...process.env, TEST_CITUS_URL: cluster.url, TEST_CITUS_WORKERS: cluster.workers.join(' ') }
  const child = spawn(program, args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  process.exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
  await cluster.stop()
} else {
  console.log(`left out: Citus is not installed for PostgreSQL on this machine (${[program, ...args].join(' ')})`)
}
