import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
let entry = ''
before(async () => {
  if (skip) return
  await run(process.execPath, ['scripts/build-package.ts', built], { cwd: root, env: withTools })
  entry = await installed()
})

/** A project that has installed the server, beside the packages that it asks for. @returns what starts it */
async function installed(): Promise<string> {
  const target = await unpack('chirograph')
  for (const name of readdirSync(join(root, 'node_modules'))) {
    // Links into this checkout, which runs its sources.
    if (!name.startsWith('.') && name !== '@chirograph') symlinkSync(join(root, 'node_modules', name), modulePath(name))
  }
  return join(target, 'bin/chirograph.js')
}

/** Unpacks a built package as npm unpacks it. @param name Of its folder. */
async function unpack(name: string): Promise<string> {
  const packed = ['pack', join(built, name), '--pack-destination', folder, '--silent']
  const { stdout } = await run('npm', packed, { cwd: folder })
  const target = modulePath(JSON.parse(readFileSync(join(built, name, 'package.json'), 'utf8')).name)
  mkdirSync(target, { recursive: true })
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', target, '--strip-components=1'])
  return target
}

function modulePath(name: string): string {
  return join(folder, 'node_modules', name)
}

test('the packed npm package runs where it is installed', { skip }, async () => {
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
    assert.match(await (await fetch(`${url}/sign-in?lang=de`)).text(), /<h1>Anmelden/)
    for (const file of files) assert.equal((await fetch(file)).status, 200, file)
  } finally {
    server.kill('SIGTERM')
    await ended
  }
  assert.equal(server.exitCode, 0)
})

test('the package pins all that it installs, and none of that runs a program at install', { skip }, async () => {
  const read = (name: string) => JSON.parse(readFileSync(join(built, 'chirograph', name), 'utf8'))
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta, version } = read('package.json')
  const { packages } = read('npm-shrinkwrap.json')
  const { '': own, ...others } = packages as Record<string, Record<string, unknown>>
  assert.partialDeepStrictEqual(own, { name: 'chirograph', dependencies, optionalDependencies })
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
    assert(others[`node_modules/${name}`], name)
  for (const [path, one] of Object.entries(others)) {
    assert(typeof one.version === 'string' && String(one.integrity).startsWith('sha512-'), path)
    assert.deepEqual([one.dev, one.hasInstallScript], [undefined, undefined], path)
  }
  // Beside the server, if at all, and of its version.
  for (const [name, one] of Object.entries(peerDependencies)) {
    assert.equal(one, version, name)
    assert.deepEqual(peerDependenciesMeta[name], { optional: true }, name)
  }
})

for (const { package: name, setting, without, beside } of [
  {
    package: 'pkcs11',
    setting: { PKCS11_MODULE: '/nowhere/module.so', PKCS11_TOKEN: 'none', PKCS11_PIN_FILE: 'pin' },
    without: /PKCS11_MODULE needs the package @chirograph\/pkcs11, .*chirograph-pkcs11-VERSION\.tgz/,
    beside: /PKCS11_MODULE cannot be loaded/,
  },
  {
    package: 'opentelemetry',
    setting: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_SAMPLER: 'unknown' },
    without: /OTEL_EXPORTER_OTLP_ENDPOINT needs the package @chirograph\/opentelemetry, .*-VERSION\.tgz/,
    beside: /OTEL_TRACES_SAMPLER must be one of always_on,/,
  },
]) {
  test(`the settings of the package ${name} are refused without it, and it is loaded beside the server`, {
    skip,
  }, async () => {
    writeFileSync(join(folder, 'pin'), 'none')
    const refused = () => run(node, [entry, 'serve'], { cwd: folder, env: { PATH: process.env.PATH, ...setting } })
    await assert.rejects(refused(), { code: 1, stderr: without })
    await unpack(name)
    await assert.rejects(refused(), { code: 1, stderr: beside })
  })
}

async function readyAt(url: string): Promise<boolean> {
  const until = Date.now() + READY_MS_MAX
  while (Date.now() < until) {
    const ready = await fetch(`${url}/readyz`).catch(() => null)
    if (ready?.status === 200) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}
