import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { postgresUrl } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'

const run = promisify(execFile)
const root = new URL('../../', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'chirograph-package-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** The Node that runs npm. It may be older than the one that the package brings. */
const node = process.env.npm_node_execpath ?? process.execPath
const READY_MS_MAX = 60_000
const withTools = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }

// It brings its own database, so once is enough.
const skip = postgresUrl !== null
const built = join(folder, 'built')
before(async () => {
  if (!skip) await run(process.execPath, ['scripts/build-package.ts', built], { cwd: root, env: withTools })
})

/** A project that has installed the package: unpacked as npm unpacks it, beside the packages that it asks for. */
async function installed(): Promise<string> {
  const { stdout } = await run('npm', ['pack', built, '--pack-destination', folder, '--silent'], { cwd: folder })
  const modules = join(folder, 'node_modules')
  const target = join(modules, 'chirograph')
  mkdirSync(target, { recursive: true })
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', target, '--strip-components=1'])
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  return join(target, 'bin/chirograph.js')
}

test('the packed npm package runs where it is installed', { skip }, async () => {
  const entry = await installed()
  assert.match((await run(node, [entry, 'version'])).stdout, /^\d+\.\d+\.\d+\n$/)
  const port = String(await freePort())
  const { PATH } = process.env
  const server = spawn(node, [entry, 'serve'], { cwd: folder, env: { PATH, PORT: port, LOG_LEVEL: 'warn' } })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  try {
    const url = `http://127.0.0.1:${port}`
    assert.equal(await readyAt(url), true)
    const reference = await fetch(`${url}/openapi.json`)
    assert.equal(reference.status, 200)
    assert.match(await reference.text(), /"\/creds\/credentials\/issuance"/)
    const page = await (await fetch(`${url}/sign-in`)).text()
    const files = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => `${url}${path}`)
    assert.equal(files.length, 2)
    for (const file of files) assert.equal((await fetch(file)).status, 200, file)
  } finally {
    server.kill('SIGTERM')
    await ended
  }
  assert.equal(server.exitCode, 0)
})

test('the package pins all that it installs, and none of that runs a program at install', { skip }, async () => {
  const read = (name: string) => JSON.parse(readFileSync(join(built, name), 'utf8'))
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = read('package.json')
  const { packages } = read('npm-shrinkwrap.json')
  const { '': own, ...others } = packages as Record<string, Record<string, unknown>>
  assert.partialDeepStrictEqual(own, { name: 'chirograph', dependencies, optionalDependencies })
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
    assert(others[`node_modules/${name}`], name)
  for (const [path, one] of Object.entries(others)) {
    assert(typeof one.version === 'string' && String(one.integrity).startsWith('sha512-'), path)
    assert.deepEqual([one.dev, one.hasInstallScript], [undefined, undefined], path)
  }
  // It runs a program at install; who keeps keys in a token installs it without.
  assert.deepEqual([peerDependencies, peerDependenciesMeta], [{ koffi: '3.3.4' }, { koffi: { optional: true } }])
})

async function readyAt(url: string): Promise<boolean> {
  const until = Date.now() + READY_MS_MAX
  while (Date.now() < until) {
    const ready = await fetch(`${url}/readyz`).catch(() => null)
    if (ready?.status === 200) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}
