// What an OpenTelemetry collector receives: spans of requests and of what they cause, and metrics; nothing secret.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { aReceiver, type Receiver } from '../../src/events/test-support/receiver.ts'
import { layTemplate } from '../support/embedded-template.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'
import { until } from '../support/until.ts'

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Attribute[]
  status?: object
  events?: object[]
}
type Point = { attributes: Attribute[]; count: number; bucketCounts: number[]; explicitBounds: number[] }
type Metric = { name: string; histogram?: { dataPoints: Point[] }; sum?: object; gauge?: object }

type Body = { readonly path: string; readonly text: string; readonly headers: IncomingHttpHeaders }

const bodies: Body[] = []
const collector = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { url: path = '', headers } = request
    bodies.push({ path, text: Buffer.concat(chunks).toString(), headers })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
})

let chirograph: Deployment
let school: Api
let hook: Receiver
let secrets: readonly string[]
const [SERVER, CLIENT] = [2, 3]
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
before(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  // Which the SDK reads in the environment of the process.
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
  })
  chirograph = await deploy({}, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  hook = await aReceiver()
  school = await chirograph.backend('acme')
  const thandi = await chirograph.wallet('acme', 'thandi')
  await school.post('/creds/endpoints', { url: hook.url, filterTypes: ['openid4vc.issuance.offered'] })
  const { id } = await makeTemplate(school, 'traced')
  const { offerUri } = await openIssuance(school, id)
  const received = await thandi.send('POST', '/wallet/v2/credentials', JSON.stringify({ credentialOffer: offerUri }), {
    'content-type': 'application/json',
    traceparent: `00-${traceId}-${parentId}-01`,
  })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  await school.get('/creds/credentials', { traceparent: `00-${'a'.repeat(32)}-${parentId}-00` })
  await school.get('/creds/templates/credentials', { traceparent: 'odd' })
  await until(() => hook.messages.length > 0)
  secrets = [
    school.token ?? '',
    thandi.token ?? '',
    offerUri,
    new URL(offerUri).searchParams.get('credential_offer_uri') ?? '',
  ]
  await chirograph.stop()
})
after(async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name]
  await hook.close()
  collector.closeAllConnections()
  collector.close()
})

function spans(): Span[] {
  const sent = bodies.filter(({ path }) => path === '/v1/traces').map(({ text }) => JSON.parse(text))
  return sent.flatMap((one) => one.resourceSpans[0].scopeSpans[0].spans)
}

/** Of all servers. */
function metrics(): Metric[] {
  const sent = bodies.filter(({ path }) => path === '/v1/metrics').map(({ text }) => JSON.parse(text))
  return sent.flatMap((one) => one.resourceMetrics[0].scopeMetrics[0].metrics)
}

const attributeOf = ({ attributes }: { attributes: Attribute[] }, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value
  return value?.stringValue ?? value?.intValue
}

test('a request has a span under that of its caller, and what it dispatches has spans under it', () => {
  const own = spans().filter((one) => one.traceId === traceId)
  const root = own.find((one) => one.parentSpanId === parentId) ?? assert.fail('no span under the caller')
  assert.deepEqual(
    ['http.request.method', 'http.route', 'http.response.status_code'].map((name) => attributeOf(root, name)),
    ['POST', '/wallet/v2/credentials', 201],
  )
  assert.deepEqual([root.kind, root.name], [SERVER, 'POST /wallet/v2/credentials'])
  const below = own.filter((one) => one.parentSpanId === root.spanId).map(({ name }) => name)
  for (const route of ['/issuers/{tenant}/token', '/issuers/{tenant}/credential'])
    assert(
      below.some((name) => name === `POST ${route}`),
      `${route} is not in ${below}`,
    )
})

test('a trace that its caller does not sample is not exported, and a malformed one begins anew', () => {
  assert.equal(spans().filter((one) => one.traceId === 'a'.repeat(32)).length, 0)
  const anew = spans().filter(({ name }) => name === 'GET /creds/templates/credentials')
  assert.deepEqual(
    anew.map((one) => one.parentSpanId),
    [undefined],
  )
})

test('a statement has a span by its name under that of its request, without its text and values', () => {
  const own = spans().filter((one) => one.traceId === traceId)
  const statements = own.filter((one) => attributeOf(one, 'db.system.name') !== undefined)
  assert(statements.length > 5)
  for (const one of statements) {
    assert.match(one.name, /^(search|[a-z_]+\.[a-z_.]+)$/)
    assert.equal(attributeOf(one, 'db.query.summary'), one.name)
    assert.equal(one.kind, CLIENT)
    assert(
      own.some(({ spanId }) => spanId === one.parentSpanId),
      one.name,
    )
  }
})

test('a span has no other attributes than those that carry no secret, and no event', () => {
  const names = new Set(spans().flatMap(({ attributes }) => attributes.map(({ key }) => key)))
  assert.deepEqual([...names].sort(), [
    'db.query.summary',
    'db.system.name',
    'http.request.method',
    'http.response.status_code',
    'http.route',
    'server.address',
  ])
  for (const { events } of spans()) assert.deepEqual(events ?? [], [])
})

test('a webhook carries the span of its request', () => {
  const { traceparent = '' } = hook.messages[0]?.headers ?? {}
  const [, trace, span] = String(traceparent).split('-')
  const sent = spans().find((one) => one.spanId === span) ?? assert.fail(`no span ${traceparent}`)
  assert.deepEqual([sent.traceId, sent.kind, attributeOf(sent, 'server.address')], [trace, CLIENT, '127.0.0.1'])
})

test('no token, link, claim or address of a person is exported', () => {
  const all = bodies.map(({ text }) => text).join('\n')
  for (const secret of [...secrets, 'Thandi', 'thandi', 'acme']) assert.equal(all.includes(secret), false, secret)
})

test('metrics are those of /metrics, with buckets that are not cumulative', () => {
  const points = metrics().flatMap(({ name, histogram }) =>
    name === 'http_request_duration_seconds' ? (histogram?.dataPoints ?? []) : [],
  )
  const point = points.find((one) => attributeOf(one, 'route') === '/wallet/v2/credentials') ?? assert.fail()
  assert.equal(point.bucketCounts.length, point.explicitBounds.length + 1)
  assert.equal(
    point.bucketCounts.reduce((sum, one) => sum + Number(one), 0),
    Number(point.count),
  )
  for (const name of ['store_round_trips_total', 'process_resident_memory_bytes'])
    assert(metrics().some((one) => one.name === name))
})

/**
 * Starts a server without and with the setting, and prints each time which packages of OpenTelemetry were loaded newly.
 */
const STARTS = `
  import { registerHooks } from 'node:module'
  const loaded = new Set()
  registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) })
  const { start } = await import(process.env.MAIN)
  for (const more of [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }]) {
    const running = await start({ ...process.env, ...more })
    await (await fetch(running.url + '/openapi.json')).arrayBuffer()
    await running.stop()
    const names = [...loaded].map((url) => /@opentelemetry.([^/]+)/.exec(url)?.[1]).filter((name) => name !== undefined)
    console.log(JSON.stringify([...new Set(names)].sort()))
    loaded.clear()
  }`

test('without the setting nothing but the API of OpenTelemetry is loaded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-untraced-'))
  await layTemplate(folder)
  const env = {
    MAIN: new URL('../../src/main.ts', import.meta.url).href,
    DATA_DIR: folder,
    PORT: String(await freePort()),
    LOG_LEVEL: 'error',
    DRAIN_SECONDS: '0',
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
  }
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', STARTS], { env, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  const [without, beside] = out
    .trim()
    .split('\n')
    .map((line): string[] => JSON.parse(line))
  assert.deepEqual(without, ['api'])
  assert(beside?.includes('sdk-trace') && beside.includes('sdk-metrics'), String(beside))
})
