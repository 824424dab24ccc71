import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Other makers' software against ours, in all directions that it has: after every change of a protocol room. Those of
// Python are installed for the run; what is not there is named.

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
  'test/e2e/python-peers.test.ts',
  'test/vectors/mdoc-oracle.test.ts',
]

const folder = mkdtempSync(join(tmpdir(), 'chirograph-peers-'))
const python = join(folder, 'bin', 'python')
const succeeds = (program: string, args: readonly string[]) =>
  spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
try {
  const hasPython =
    succeeds('python3', ['-m', 'venv', folder]) && succeeds(python, ['-m', 'pip', 'install', '-q', ...packages])
  const env = hasPython ? { ...process.env, PEERS_PYTHON: python } : process.env
  const { status } = spawnSync(process.execPath, ['scripts/run-tests.ts', ...files], { stdio: 'inherit', env })
  if (!hasPython) console.log(`LEFT OUT: ${packages.join(', ')} could not be installed`)
  console.log('LEFT OUT: multipaz (Kotlin) and isomdl (Rust), for which there is no test')
  process.exitCode = status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
