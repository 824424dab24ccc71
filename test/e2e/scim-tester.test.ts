// The compliance checker `scim2-tester` (PyPI), which reads what the service publishes about itself and holds it to
// that.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Deployment, deploy } from '../support/server.ts'

/** The version whose results are known. */
const VERSION = '0.5.2'
const python = process.env.SCIM2_TESTER_PYTHON ?? 'python3'
const asked = 'import importlib.metadata as m; print(m.version("scim2-tester"))'
const found = spawnSync(python, ['-c', asked], { encoding: 'utf8' }).stdout?.trim() ?? ''
const missing = `scim2-tester ${VERSION} is not installed: see CONTRIBUTING.md`
const script = fileURLToPath(new URL('../support/scim-tester.py', import.meta.url))

type Result = { readonly status: string; readonly title: string; readonly reason: string | null }

/**
 * What the checker reports though it is as the specifications allow, with the reason; `docs/divergences.md` names what
 * is ours.
 */
const known: readonly (readonly [finding: RegExp, reason: string])[] = [
  [/unexpected value for 'name'.*formatted=None/s, 'formatted is readOnly in our schema, and the checker compares it'],
  [/unexpected value for 'members'.*display=None/s, 'display is readOnly in our schema, and the checker compares it'],
  [/unexpected value for 'emails'.*primary=False/s, 'a user has one address, which is the primary one'],
  [/unexpected value for 'roles'.*primary=False/s, 'the only role of a user is the primary one: Entra ID names it so'],
  [/did not remove attribute 'displayName'/, 'a display name has a default'],
  [/did not remove attribute 'active'/, 'a user is active or not'],
]

test('scim2-tester finds only what is known', { skip: found === VERSION ? false : missing }, async () => {
  const chirograph = await deploy()
  try {
    const backend = await chirograph.backend('acme')
    // The checker gives its users any role, and takes it: the last owner would stay one.
    const owner = await backend.post('/onboarding/users', { username: 'owner', roles: ['owner'] })
    assert.equal(owner.status, 201, JSON.stringify(owner.body))
    const { status, body } = await backend.post('/onboarding/scim-tokens', { clientId: 'acme-backend', name: 'Tester' })
    assert.equal(status, 201, JSON.stringify(body))
    const results = await run(chirograph, body.data.token)
    const findings = results.filter((one) => one.status === 'ERROR' || one.status === 'CRITICAL')
    const isKnown = ({ reason }: Result) => known.some(([finding]) => finding.test(reason ?? ''))
    assert.deepEqual(
      findings.filter((one) => !isKnown(one)),
      [],
    )
    const passed = results.filter((one) => one.status === 'SUCCESS')
    console.log(
      `scim2-tester ${VERSION}: ${passed.length} of ${results.length} checks passed, ${findings.length} known`,
    )
    // Its values are random, and so is what it finds known.
    assert(passed.length + findings.length >= 65, String(passed.length))
  } finally {
    await chirograph.stop()
  }
})

/** Runs the checker. The server is in this process, so the checker may not keep it from answering. */
async function run({ url }: Deployment, token: string): Promise<Result[]> {
  const { stdout } = await promisify(execFile)(python, [script, `${url}/onboarding/scim/v2`, token], {
    maxBuffer: 10_000_000,
  })
  return JSON.parse(stdout)
}
