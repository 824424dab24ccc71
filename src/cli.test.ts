import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { postgresUrl } from '../test/support/database.ts'

const folder = mkdtempSync(join(tmpdir(), 'chirograph-cli-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const bin = new URL('../bin/chirograph.js', import.meta.url).pathname
/** The Node that runs npm: on a newcomer's machine it is older than the one that the project pins. */
const node = process.env.npm_node_execpath ?? process.execPath
const file = join(folder, 'bootstrap.json')
writeFileSync(file, '{"tenants":[{"slug":"acme","name":"Acme"}]}')
const dataDir = join(folder, 'data')
const masterKey = (byte: number) => Buffer.alloc(32, byte).toString('base64')

type Ended = { readonly status: number | null; readonly out: string; readonly err: string }

function chirograph(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(node, [bin, ...args], { env: { PATH: process.env.PATH, DATA_DIR: dataDir, ...env } })
  const read = { out: '', err: '' }
  child.stdout.on('data', (bytes: Buffer) => {
    read.out += bytes.toString()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    read.err += bytes.toString()
  })
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, ...read })))
}

test('the command line runs on the Node that runs npm', async () => {
  const help = await chirograph(['help'])
  assert.equal(help.status, 0, help.err)
  assert.match(help.out, /chirograph apply FILE/)
  assert.match((await chirograph(['version'])).out, /^\d+\.\d+\.\d+\n$/)
})

test('a bootstrap file may be applied before the first start; another master key is refused afterwards', async () => {
  const applied = await chirograph(['apply', file], { MASTER_KEY: masterKey(1) })
  assert.equal(applied.status, 0, applied.err)
  const refused = await chirograph(['apply', file], { MASTER_KEY: masterKey(2) })
  assert.match(refused.err, /MASTER_KEY is not the key/)
  assert.equal(refused.status, 1)
})

test('verify says how much it looked at', async () => {
  const env = { DATA_DIR: join(folder, 'verified'), PUBLIC_URL: 'http://localhost:8123' }
  const made = await chirograph(['owner', 'create'], env)
  assert.equal(made.status, 0, made.err)
  const { status, out, err } = await chirograph(['verify'], env)
  assert.equal(status, 0, err)
  const { tenants, examined, checks, faults } = JSON.parse(out)
  // Nothing was sealed or issued yet: that is told apart from everything being right.
  const none = { 'sealed values': 0, 'status lists': 0, 'webhook deliveries': 0 }
  assert.deepEqual({ tenants, examined, checks, faults }, { tenants: 1, examined: none, checks: none, faults: [] })
})

test('an archive that is not there is named in words', async () => {
  const missing = join(folder, 'nowhere')
  for (const [path, sentence] of [
    [missing, `chirograph: there is no folder ${missing}\n`],
    [file, `chirograph: ${file} is a file; the folder of the archive is needed\n`],
  ] as const)
    assert.deepEqual(await chirograph(['audit-check', path]), { status: 1, out: '', err: sentence })
})

test('an owner link is printed once, for the only tenant or the one that is named', async () => {
  const env = { DATA_DIR: join(folder, 'owner'), PUBLIC_URL: 'http://localhost:8123' }
  const made = await chirograph(['owner', 'create'], env)
  assert.equal(made.status, 0, made.err)
  assert.match(made.out, /become owner, an owner of default\./)
  assert.match(made.out, /^http:\/\/localhost:8123\/sign-in\/link\?token=[\w-]{86}$/m)
  const named = await chirograph(['owner', 'create', '--tenant', 'default', '--username', 'thandi'], env)
  assert.match(named.out, /become thandi/)
  const unknown = await chirograph(['owner', 'create', '--tenant', 'nowhere'], env)
  assert.deepEqual([unknown.status, unknown.err], [1, 'chirograph: there is no tenant nowhere, or it is disabled\n'])
  const wrong = await chirograph(['owner', 'create', '--name', 'x'], env)
  assert.match(wrong.err, /^chirograph: Unknown option '--name'/)
})

test('a tenant is removed after it was said what goes with it, and only by --yes', async () => {
  const env = { DATA_DIR: join(folder, 'removed') }
  assert.equal((await chirograph(['apply', file], env)).status, 0)
  const remove = (...args: string[]) => chirograph(['tenant', 'remove', ...args], env)
  const list = async () => (await chirograph(['tenant', 'list'], env)).out
  const said = await remove('acme')
  assert.equal(said.status, 0, said.err)
  assert.match(said.out, /^This would remove the tenant acme \(Acme\) .*\n\n {2}people {24}0\n/)
  assert.match(said.out, /entries of the audit trail {4}1, not kept, since AUDIT_ARCHIVE is not set/)
  assert.match(said.out, /It cannot be undone\.(.|\n)*tenant remove acme --yes\n$/)
  assert.equal(await list(), 'acme  active    Acme\n')
  for (const args of [['acme', '--yes'], ['acme']]) {
    const { status, out, err } = await remove(...args)
    assert.deepEqual([status, err], [0, ''])
    assert.match(out, /^The tenant acme is closed since .*\(0 rows so far\); `chirograph tenant list` says/)
  }
  assert.equal(await list(), 'acme  removing  Acme (0 rows removed so far)\n')
  const again = await chirograph(['apply', file], env)
  assert.match(again.out, /the bootstrap file declares a tenant that was removed: it is not made again/)
  assert.match((await chirograph(['owner', 'create', '--tenant', 'acme'], env)).err, /there is no tenant acme/)
})

test('a removal that names no tenant changes nothing and says why', async () => {
  for (const [args, says] of [
    [['tenant'], /^chirograph: tenant takes the word list, or the word remove and a slug\n/],
    [['tenant', 'remove'], /^chirograph: tenant remove takes one argument, the slug\n$/],
    [['tenant', 'remove', 'a', 'b'], /^chirograph: tenant remove takes one argument, the slug\n$/],
    [['tenant', 'remove', 'nobody', '--yes'], /^chirograph: there is no tenant nobody\n$/],
    [['tenant', 'remove', 'nobody', '--force'], /^chirograph: Unknown option '--force'/],
  ] as const) {
    const { status, err } = await chirograph(args, { MASTER_KEY: masterKey(1) })
    assert.match(err, says)
    assert.notEqual(status, 0)
  }
})

test('migrations are applied apart from serving, with the settings of the database only', async () => {
  const env = { DATA_DIR: join(folder, 'migrated') }
  assert.match((await chirograph(['migrate'], env)).out, /^migrations applied: \d+\n$/)
  assert.equal((await chirograph(['migrate'], env)).out, 'the database is up to date\n')
  const refused = await chirograph(['migrate'], { ...env, NODE_ENV: 'production' })
  assert.deepEqual([refused.status, refused.err], [1, 'chirograph: DATABASE_URL is required in production\n'])
})

const skip = postgresUrl === null
const elsewhere = (change: (url: URL) => void) => {
  const url = new URL(postgresUrl ?? 'postgresql://127.0.0.1/none')
  change(url)
  return { DATABASE_URL: url.href }
}

const rows: readonly [name: string, args: string[], env: Record<string, string>, says: RegExp][] = [
  ['a command that does not exist', ['sevre'], {}, /there is no command sevre/],
  ['a file that is not there', ['apply', '/nowhere/file.json'], {}, /\/nowhere\/file\.json cannot be read \(ENOENT\)/],
  ['a data folder that is a file', ['serve'], { DATA_DIR: file }, /DATA_DIR cannot be used/],
  [
    'a database that does not answer',
    ['serve'],
    { DATABASE_URL: 'postgresql://u:hush@127.0.0.1:1/x' },
    /DATABASE_URL \(ECONNREFUSED\)/,
  ],
  [
    'a master key that is too short',
    ['serve'],
    { NODE_ENV: 'production', MASTER_KEY: 'c2hvcnQ=' },
    /MASTER_KEY must be 32 bytes in base64\n.*DATABASE_URL is required.*\n.*PUBLIC_URL is required/,
  ],
]

describe('a failed start names the setting, without a stack', () => {
  for (const [name, args, env, says] of rows) {
    test(name, async () => {
      const { status, out, err } = await chirograph(args, env)
      assert.match(err, says)
      assert.doesNotMatch(out + err, /\n {4}at |hush|c2hvcnQ=/)
      assert.notEqual(status, 0)
    })
  }

  test('a PostgreSQL that does not have the database', { skip }, async () => {
    const env = elsewhere((url) => {
      url.pathname = '/nowhere'
    })
    const { err } = await chirograph(['serve'], env)
    assert.match(err, /^chirograph: PostgreSQL does not have the database of DATABASE_URL: create it first/)
  })

  test('a PostgreSQL without the user', { skip }, async () => {
    const env = elsewhere((url) => {
      url.username = 'nobody'
    })
    const { err } = await chirograph(['serve'], env)
    assert.match(err, /^chirograph: PostgreSQL refuses the (user|password) of DATABASE_URL/)
  })

  test('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { err } = await chirograph(['serve'], { PORT: String(port), MASTER_KEY: masterKey(1) })
    taken.close()
    assert.match(err, new RegExp(`^chirograph: port ${port} of 127\\.0\\.0\\.1 is in use: set PORT`))
  })
})
