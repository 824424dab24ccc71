import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ConfigMistakes } from './config.ts'
import { BootstrapMistakes } from './directory/bootstrap/bootstrap-file.ts'
import { apply, createOwner, migrateDatabase, start } from './main.ts'

type Env = Readonly<Record<string, string | undefined>>

const USAGE = `chirograph: issue, hold and verify digital credentials

  chirograph serve          start the server (settings: docs/configuration.md)
  chirograph migrate        bring the database up to date, and do nothing else
  chirograph apply FILE     apply a bootstrap file of tenants, clients and users
  chirograph owner create [--tenant SLUG] [--username NAME]
                            print a one-time link by which a person becomes an owner of a tenant
  chirograph help           show this text
  chirograph version        show the version
`

/** Runs one command. @returns the exit status; a running server keeps the process alive. */
export async function run(args: readonly string[], env: Env): Promise<number> {
  const [command = 'help', file] = args
  try {
    if (command === 'serve' && args.length === 1) return await serve(env)
    if (command === 'migrate' && args.length === 1) return print(migrated(await migrateDatabase(env)))
    if (command === 'owner' && file === 'create') return await printOwnerLink(env, args.slice(2))
    if (command === 'apply' && file !== undefined && args.length === 2) return await applyFile(env, file)
  } catch (error) {
    console.error(`chirograph: ${explain(error)}`)
    return 1
  }
  if (['help', '--help', '-h'].includes(command)) return print(USAGE)
  if (['version', '--version', '-v'].includes(command)) return print(version())
  console.error(`chirograph: ${usageMistake(command)}\n\n${USAGE}`)
  return 2
}

function print(text: string): number {
  console.log(text)
  return 0
}

function migrated(count: number): string {
  return count === 0 ? 'the database is up to date' : `migrations applied: ${count}`
}

function usageMistake(command: string): string {
  if (command === 'owner') return 'owner takes the word create'
  if (['serve', 'migrate'].includes(command)) {
    return `${command} takes no arguments; its settings are environment variables`
  }
  return command === 'apply' ? 'apply takes one argument, the file' : `there is no command ${command}`
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}

async function serve(env: Env): Promise<number> {
  const running = await start(env)
  let signals = 0
  const stop = (signal: NodeJS.Signals) => {
    signals += 1
    // A signal to a process group arrives twice where a parent relays it, so the second is ignored; a third one exits at once.
    if (signals > 1) return signals > 2 ? process.exit(signal === 'SIGINT' ? 130 : 143) : undefined
    running.stop().then(
      () => process.exit(0),
      (error) => {
        console.error(`chirograph: ${explain(error)}`)
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  return 0
}

async function applyFile(env: Env, file: string): Promise<number> {
  await apply(env, file)
  console.log(`applied ${file}`)
  return 0
}

async function printOwnerLink(env: Env, args: readonly string[]): Promise<number> {
  const options = { tenant: { type: 'string' }, username: { type: 'string' } } as const
  const { tenant = null, username = null } = parseArgs({ args: [...args], options }).values
  const made = await createOwner({ LOG_LEVEL: 'warn', ...env }, tenant, username)
  const until = made.expiresAt.toISOString()
  const text = `Open this link to become ${made.username}, an owner of ${made.tenantSlug}. It works once, until ${until}:`
  return print(`${text}\n\n${made.url}`)
}

/** The message of a known error, the stack of an unexpected one. */
function explain(error: unknown): string {
  if (error instanceof ConfigMistakes || error instanceof BootstrapMistakes) return error.message
  if (!(error instanceof Error)) return String(error)
  const isPlain =
    ['Error', 'Fault'].includes(error.name) || ('code' in error && /^ERR_PARSE_ARGS/.test(String(error.code)))
  return isPlain ? error.message : (error.stack ?? error.message)
}
