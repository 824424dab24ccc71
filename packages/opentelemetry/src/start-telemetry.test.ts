import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { context, metrics, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { startTelemetry } from './start-telemetry.ts'

type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

let received: Received[] = []
const collector = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
    response.end()
  })
})
let endpoint = ''
before(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
})
after(() => collector.close())
afterEach(() => {
  received = []
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name]
})

const warnings: string[] = []
const warn = (message: string) => void warnings.push(message)

/** Sends a span and a metric with these variables. @returns what the collector got */
async function send(env: Readonly<Record<string, string>> = {}): Promise<readonly Received[]> {
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env })
  const telemetry = startTelemetry(warn)
  record('a span')
  metrics.getMeter('test').createCounter('a_counter').add(1)
  await telemetry.close()
  return received
}

function record(name: string): void {
  trace.getTracer('test').startSpan(name).end()
}

const pathsOf = (some: readonly Received[]) => some.map(({ path }) => path).sort()

test('spans and metrics are sent in protobuf by default, with the headers and names of the environment', async () => {
  const sent = await send({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
    OTEL_SERVICE_NAME: 'credentials',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
  })
  assert.deepEqual(pathsOf(sent), ['/v1/metrics', '/v1/traces'])
  for (const { headers, body } of sent) {
    assert.equal(headers['content-type'], 'application/x-protobuf')
    assert.equal(headers.authorization, 'Bearer of-the-collector')
    for (const text of ['service.name', 'credentials', 'deployment.environment.name']) assert(body.includes(text), text)
    for (const text of ['chirograph', 'process.', 'host.']) assert(!body.includes(text), text)
  }
  assert(sent.some(({ body }) => body.includes('a span')))
  assert(sent.some(({ body }) => body.includes('a_counter')))
})

test('the protocol may be JSON', async () => {
  const [one] = await send({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_METRICS_EXPORTER: 'none' })
  const { resourceSpans } = JSON.parse(String(one?.body))
  assert.equal(resourceSpans[0].scopeSpans[0].spans[0].name, 'a span')
  const service = { key: 'service.name', value: { stringValue: 'chirograph' } }
  assert.deepEqual(resourceSpans[0].resource.attributes, [service])
})

for (const [env, paths] of [
  [{ OTEL_METRICS_EXPORTER: 'none' }, ['/v1/traces']],
  [{ OTEL_TRACES_EXPORTER: 'none' }, ['/v1/metrics']],
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, ['/v1/metrics']],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, ['/v1/metrics']],
] as const) {
  test(`with ${JSON.stringify(env)} only ${paths} is sent`, async () => {
    assert.deepEqual(pathsOf(await send(env)), paths)
  })
}

for (const [name, value] of [
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_SAMPLER', 'some'],
] as const) {
  test(`${name}=${value} is refused by name, and the next start is not affected`, async () => {
    await assert.rejects(send({ [name]: value }), { message: new RegExp(`^${name} must be one of `) })
    delete process.env[name]
    assert.deepEqual(pathsOf(await send()), ['/v1/metrics', '/v1/traces'])
  })
}

test('servers of one process share it, until the last one closes', async () => {
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_METRICS_EXPORTER: 'none' })
  const [one, other] = [startTelemetry(warn), startTelemetry(warn)]
  await one.close()
  await one.close()
  record('after the first')
  await other.close()
  assert(received.some(({ body }) => body.includes('after the first')))
  assert.equal(trace.getTracer('test').startSpan('after the last').isRecording(), false)
})

test('a trace of a caller is continued, and what the caller writes beside it is not passed on', async () => {
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  const telemetry = startTelemetry(warn)
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`
  const above = propagation.extract(ROOT_CONTEXT, { traceparent, baggage: 'person=thandi' })
  const span = trace.getTracer('test').startSpan('not sampled', {}, above)
  const headers = {}
  context.with(trace.setSpan(above, span), () => propagation.inject(context.active(), headers))
  const { spanId } = span.spanContext()
  assert.deepEqual(headers, { traceparent: `00-${'a'.repeat(32)}-${spanId}-00` })
  span.end()
  await telemetry.close()
  assert.deepEqual(pathsOf(received), [])
})

test('a collector that is away is told in one line, and holds up the end for some seconds only', async () => {
  warnings.length = 0
  const began = performance.now()
  await send({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '1000' })
  assert(performance.now() - began < 8000)
  assert.equal(warnings.length, 1, String(warnings))
  assert.match(warnings[0] ?? '', /ECONNREFUSED/)
})
