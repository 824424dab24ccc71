// A school issues a diploma, a person accepts and presents it, an employer reads verified claims; a forgery and a
// replay are refused. Then a driving licence as ISO mdoc under its own root certificate, a credential by HAIP 1.0 with
// a sign-in at the issuer, and a revocation. Uses the public HTTP API only.
// Run: npm run demo
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from './server-process.ts'
import { runStory } from './story.ts'

const from = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'chirograph-demo-'))
const aSecret = () => randomBytes(32).toString('hex')
const secrets = {
  SCHOOL_SECRET: aSecret(),
  EMPLOYER_SECRET: aSecret(),
  OFFICE_SECRET: aSecret(),
  REGISTRY_SECRET: aSecret(),
}
const bootstrap = {
  tenants: [
    {
      slug: 'acme',
      name: 'Acme College',
      settings: { walletFormats: ['vc+sd-jwt', 'mso_mdoc'] },
      clients: [
        {
          clientId: 'acme-backend',
          clientSecret: { env: 'SCHOOL_SECRET' },
          scopes: ['tenant:admin', 'users:impersonate'],
        },
      ],
      users: [
        { username: 'thandi', email: 'thandi@example.org', firstName: 'Thandi', lastName: 'Molefe', enabled: true },
      ],
    },
    {
      slug: 'globex',
      name: 'Globex Corporation',
      clients: [{ clientId: 'globex-backend', clientSecret: { env: 'EMPLOYER_SECRET' }, scopes: ['tenant:admin'] }],
      users: [],
    },
    {
      slug: 'transport',
      name: 'Department of Transport',
      clients: [{ clientId: 'transport-backend', clientSecret: { env: 'OFFICE_SECRET' }, scopes: ['tenant:admin'] }],
      users: [],
    },
    {
      slug: 'registry',
      name: 'National Registry',
      settings: { haip: true },
      clients: [
        {
          clientId: 'registry-backend',
          clientSecret: { env: 'REGISTRY_SECRET' },
          scopes: ['tenant:admin', 'users:impersonate'],
        },
      ],
      users: [{ username: 'thandi', firstName: 'Thandi', lastName: 'Molefe', enabled: true }],
    },
  ],
}
const file = join(folder, 'bootstrap.json')
writeFileSync(file, JSON.stringify(bootstrap))

console.log(
  'Chirograph demo: one server with four organisations and two wallets; an embedded database in a temporary folder.',
)
try {
  const server = await startServer({ DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: file, ...secrets })
  console.log(
    `The server is ready at ${server.url} (after ${server.readyMs} ms). Each gray line below is one HTTP request of the named party.`,
  )
  try {
    await runStory(server.url, secrets)
  } finally {
    await server.stop()
  }
  console.log(
    `\nAll steps succeeded in ${((performance.now() - from) / 1000).toFixed(1)} s. The server was stopped and its data deleted.`,
  )
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
