import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../test/support/source.ts'

// Other makers' software against ours, in all directions that it has: after every change of a protocol room. Libraries
// of Python are installed for the run, programs with those of other languages are built. What is not there is named.

const packages = ['sd-jwt==0.10.4', 'pymdoccbor==1.4.0']
/** The files of tests whose other side is a library of another maker. */
const files = [
  'src/issuance/code-flow/peers.test.ts',
  'src/issuance/deferral/peers.test.ts',
  'src/verification/digital-credentials/openid4vc-peer.test.ts',
  'src/wallet/presentations/openid4vc-peer.test.ts',
  'test/e2e/foreign-mdoc.test.ts',
  'test/e2e/haip-foreign-credentials.test.ts',
  'test/e2e/haip.test.ts',
  'test/e2e/holder-with-credo.test.ts',
  'test/e2e/isomdl.test.ts',
  'test/e2e/multipaz.test.ts',
  'test/e2e/python-peers.test.ts',
  'test/e2e/table-to-wallets.test.ts',
  'test/vectors/mdoc-oracle.test.ts',
]
/** The oldest Java that multipaz runs on. */
const JAVA_MIN = 21

const folder = mkdtempSync(join(tmpdir(), 'chirograph-peers-'))
try {
  const python = installPackages()
  const isomdl = buildIsomdl()
  const multipaz = buildMultipaz()
  const env = { ...process.env, ...python, ...isomdl, ...multipaz }
  const { status } = spawnSync(process.execPath, ['scripts/run-tests.ts', ...files], { stdio: 'inherit', env })
  if (python === null) console.log(`LEFT OUT: ${packages.join(', ')} could not be installed (python3 with venv)`)
  if (isomdl === null) console.log('LEFT OUT: isomdl could not be built (cargo)')
  if (multipaz === null) console.log(`LEFT OUT: multipaz could not be built (mvn, Java ${JAVA_MIN})`)
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function succeeds(program: string, args: readonly string[], env = process.env): boolean {
  return spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0
}

/** Installs libraries of Python. @returns the variables of their tests; null: they could not be installed */
function installPackages() {
  const python = join(folder, 'bin', 'python')
  const isInstalled =
    succeeds('python3', ['-m', 'venv', folder]) && succeeds(python, ['-m', 'pip', 'install', '-q', ...packages])
  return isInstalled ? { PEERS_PYTHON: python } : null
}

/** Builds the program with isomdl. @returns the variables of its tests; null: it could not be built */
function buildIsomdl() {
  const source = join(root, 'peers/isomdl')
  const target = join(source, 'target')
  const manifest = join(source, 'Cargo.toml')
  const isBuilt = succeeds('cargo', ['build', '-q', '--locked', '--manifest-path', manifest, '--target-dir', target])
  return isBuilt ? { PEERS_ISOMDL: join(target, 'debug/isomdl-peer') } : null
}

/** Builds the program with multipaz. @returns the variables of its tests; null: it could not be built */
function buildMultipaz() {
  const home = [process.env.JAVA_HOME ?? '', ...globSync('/usr/lib/jvm/*')].find(isNewJava)
  if (home === undefined) return null
  const source = join(root, 'peers/multipaz')
  const isBuilt = succeeds('mvn', ['-B', '-q', '-f', source, 'package'], { ...process.env, JAVA_HOME: home })
  return isBuilt ? { PEERS_MULTIPAZ: join(source, 'target/multipaz-peer.jar'), JAVA_HOME: home } : null
}

function isNewJava(home: string): boolean {
  const release = join(home, 'release')
  if (!existsSync(release)) return false
  const [, major] = /^JAVA_VERSION="(\d+)/m.exec(readFileSync(release, 'utf8')) ?? []
  return Number(major) >= JAVA_MIN
}
