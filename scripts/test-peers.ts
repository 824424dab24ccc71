import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
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
  'test/e2e/python-peers.test.ts',
  'test/vectors/mdoc-oracle.test.ts',
]

const folder = mkdtempSync(join(tmpdir(), 'chirograph-peers-'))
const python = join(folder, 'bin', 'python')
const succeeds = (program: string, args: readonly string[]) =>
  spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0

/** Builds the program with isomdl. @returns where it is; null: it could not be built */
function buildIsomdl(): string | null {
  const source = join(root, 'peers/isomdl')
  const target = join(source, 'target')
  const manifest = join(source, 'Cargo.toml')
  const isBuilt = succeeds('cargo', ['build', '-q', '--locked', '--manifest-path', manifest, '--target-dir', target])
  return isBuilt ? join(target, 'debug/isomdl-peer') : null
}

try {
  const hasPython =
    succeeds('python3', ['-m', 'venv', folder]) && succeeds(python, ['-m', 'pip', 'install', '-q', ...packages])
  const isomdl = buildIsomdl()
  const env = {
    ...process.env,
    ...(hasPython && { PEERS_PYTHON: python }),
    ...(isomdl !== null && { PEERS_ISOMDL: isomdl }),
  }
  const { status } = spawnSync(process.execPath, ['scripts/run-tests.ts', ...files], { stdio: 'inherit', env })
  if (!hasPython) console.log(`LEFT OUT: ${packages.join(', ')} could not be installed`)
  if (isomdl === null) console.log('LEFT OUT: isomdl could not be built (cargo)')
  console.log('LEFT OUT: multipaz (Kotlin), for which there is no test')
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
