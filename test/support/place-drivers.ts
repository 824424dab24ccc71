import assert from 'node:assert/strict'
import { createServer, type Server as HttpServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Type } from 'typebox'
import type { Caller, TenantId } from '../../src/caller.ts'
import { readConfig } from '../../src/config.ts'
import { openEventStream } from '../../src/events/stream/event-stream.ts'
import { anEndpoint, aTenant, type Bench, recordEvent } from '../../src/events/test-support/events-bench.ts'
import { Fault } from '../../src/fault.ts'
import { nestedPlaces } from '../../src/http/bounds/nested-places.ts'
import { openOutbound } from '../../src/http/outbound/outbound.ts'
import { answer } from '../../src/http/routes/route.ts'
import { aCaller, aPlatform, aServer } from '../../src/http/test-support/a-server.ts'
import { route } from '../../src/http/test-support/route.ts'
import { hashSecret } from '../../src/keys/secret-hash.ts'
import { type HashCaller, hashInPlace } from '../../src/keys/slow-hashes.ts'
import { Memory } from '../../src/memory/memory.ts'
import type { PlaceName } from '../../src/memory/places.ts'
import { printPages } from '../../src/print/print-pages.ts'
import type { PrintedPage } from '../../src/print/printed-page.ts'
import { newId } from '../../src/store/row-id.ts'
import { composedSql, type Sql, sql } from '../../src/store/store.ts'
import { readTable } from '../../src/tables/read-table.ts'
import { until } from './until.ts'

type End = () => unknown

/** One of those that share places: a tenant, a network, or a host. */
type Sharer = {
  /** Does what needs a place, and ends. @throws if it gets none */
  readonly call: () => Promise<unknown>
  /** Takes every place that it gets, until the returned function is called. Resolves once it gets no more. */
  readonly occupy: () => Promise<End>
}

/** How a test fills places by the code that takes them. */
export type Driver = { readonly sharer: (index: number) => Promise<Sharer>; readonly close: End }

/** A driver of every place that one caller could fill. A new place needs one. */
export const placeDrivers: { readonly [name in PlaceName]: (bench: Bench) => Promise<Driver> } = {
  'store.connections': (bench) => statements(bench, sql('test.places.work', 'select pg_sleep(0.02)')),
  'store.searches': (bench) => statements(bench, composedSql('select pg_sleep(0.02)')),
  'events.webhook_deliveries': webhooks,
  'api.watched_rows': watches,
  'events.streams': eventStreams,
  'http.outbound_calls': (bench) => outboundCalls(bench, () => newId() as TenantId),
  'http.connections': () => served('http.connections', { countMax: 60, part: 1, trustProxy: false }),
  'http.requests': () => served('http.requests', { countMax: 60, part: 1, trustProxy: true }),
  'http.request_bytes': () => served('http.request_bytes', { countMax: 6_000_000, part: 100_000, trustProxy: true }),
  'http.answer_bytes': () => served('http.answer_bytes', { countMax: 16 * LARGE, part: LARGE, trustProxy: true }),
  'http.outbound_calls_of_tenant': (bench) => {
    const tenantId = newId() as TenantId
    return outboundCalls(bench, () => tenantId)
  },
  'keys.slow_hashes': async () => hashes(() => ({ tenantId: newId() as TenantId })),
  'keys.unproven_hashes': async () => hashes((index) => ({ ip: `192.0.2.${index}` })),
  'tables.readings': async () => {
    const needs = { memory: new Memory() }
    const lines = Array.from({ length: 3000 }, (_, row) => `${row},Zoë,2026-05-01`)
    const options = { rowsMax: 10_000, columnsMax: 10, cells: 'tidied' } as const
    return brief(4, () => {
      const tenantId = newId() as TenantId
      return () => readTable(needs, tenantId, Buffer.from(`n,name,day\n${lines.join('\n')}`), options)
    })
  },
  'print.documents': async () => {
    const needs = { memory: new Memory() }
    async function* pages(): AsyncGenerator<readonly PrintedPage[]> {
      yield [[{ kind: 'qr', text: 'https://example.org', x: 20, y: 20, size: 50 }]]
    }
    return brief(4, () => {
      const tenantId = newId() as TenantId
      const document = { title: 'Letters', language: 'en', pictures: [] }
      return async () => Array.fromAsync(await printPages(needs, tenantId, document, pages()))
    })
  },
}

/** More than the buffers of a connection take. */
const LARGE = 12_000_000
/** How long nothing more is admitted when everything is taken. */
const SETTLED_MS = 150
/** Calls to servers that do not answer end by themselves later: what waits so long has waited for one of them. */
const ADMITTED_MS = 3000
/** After a refusal a call is repeated. */
const REPEATED_MS = 100
/** What is not refused by then is admitted; what was closed has left its place by then. */
const REFUSED_MS = 30

/** Sharers that call again and again, `atOnce` at a time: each place is soon free again, and others wait for it. */
function brief(atOnce: number, callerOf: (index: number) => Sharer['call']): Driver {
  const sharer: Driver['sharer'] = async (index) => {
    const call = callerOf(index)
    const occupy = async () => {
      let isOver = false
      let ended = 0
      const loops = Array.from({ length: atOnce }, async () => {
        while (!isOver) {
          await call().catch(() => delay(REPEATED_MS))
          ended += 1
        }
      })
      await until(() => ended > 0)
      return () => {
        isOver = true
        return Promise.all(loops)
      }
    }
    return { call, occupy }
  }
  return { sharer, close: () => undefined }
}

async function statements({ platform }: Bench, statement: Sql): Promise<Driver> {
  return brief(60, () => {
    const tenantId = newId() as TenantId
    return () => platform.store.inTenant(tenantId, (tx) => tx.rows(statement))
  })
}

function hashes(callerOf: (index: number) => HashCaller): Driver {
  const needs = { memory: new Memory() }
  return brief(40, (index) => {
    const caller = callerOf(index)
    return () => hashInPlace(needs, caller, () => hashSecret('secret', 'secret'))
  })
}

/** Sharers that hold places which nothing but they release. @param take null: it gets none */
function holding(takerOf: (index: number) => () => Promise<End | null>): Driver['sharer'] {
  return async (index) => {
    const take = takerOf(index)
    const call = async () => {
      const release = await take()
      assert.ok(release, 'it gets no place')
      await release()
    }
    const occupy = async () => {
      const held: End[] = []
      for (let one = await take(); one !== null; one = await take()) held.push(one)
      return () => Promise.all(held.map((release) => release()))
    }
    return { call, occupy }
  }
}

async function watches({ platform }: Bench): Promise<Driver> {
  const kind = { name: 'things', versions: async () => [] }
  const sharer = holding(() => {
    const row = { tenantId: newId() as TenantId, id: newId() }
    return async () => platform.changes.watch(kind, row)?.close ?? null
  })
  return { sharer, close: () => undefined }
}

/** Each stream is that of another person, since one person and the tenant itself have few. */
async function eventStreams(bench: Bench): Promise<Driver> {
  const take = async (caller: Caller) => {
    try {
      const filter = { types: null, subject: null, userId: newId() }
      const stream = await openEventStream(bench.platform, caller, filter, undefined)
      return () => stream.destroy()
    } catch (error) {
      if (error instanceof Fault && error.code === 'request.rate_limited') return null
      throw error
    }
  }
  const sharer: Driver['sharer'] = async (index) => {
    const caller = await aTenant(bench)
    return holding(() => () => take(caller))(index)
  }
  return { sharer, close: () => undefined }
}

/** A foreign server that answers what begins with `/quick` at once, and nothing else before it is closed. */
async function aForeignServer(): Promise<{ url: string; held: () => number; server: HttpServer }> {
  let held = 0
  const server = createServer((asked: IncomingMessage, response: ServerResponse) => {
    asked.resume()
    if (asked.url?.startsWith('/quick')) return void response.end()
    held += 1
    response.once('close', () => {
      held -= 1
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, held: () => held, server }
}

function closed(server: HttpServer): void {
  server.closeAllConnections()
  server.close()
}

/** Waits until a number stays as it is. */
async function settled(count: () => number): Promise<void> {
  await until(() => count() > 0)
  for (let last = -1; last !== count(); await delay(SETTLED_MS)) last = count()
}

/** Each sharer calls a host of its own; with a tenant of its own it calls three. */
async function outboundCalls({ platform }: Bench, tenantOf: () => TenantId): Promise<Driver> {
  const inside = () => Promise.reject(new Error('no server is inside'))
  const out = openOutbound({ config: platform.config, memory: new Memory(), inside })
  const servers: HttpServer[] = []
  const sharer: Driver['sharer'] = async () => {
    const tenantId = tenantOf()
    const hosts = await Promise.all(Array.from({ length: tenantId === tenantOf() ? 1 : 3 }, aForeignServer))
    servers.push(...hosts.map(({ server }) => server))
    const fetch = (url: string, timeoutMs = 10_000) =>
      out.fetch(tenantId, url, { accept: [], bytesMax: 1000, timeoutMs })
    return {
      call: () => fetch(`${hosts[0]?.url}/quick`, ADMITTED_MS),
      occupy: async () => {
        const calls = hosts.flatMap(({ url }) => Array.from({ length: 40 }, () => fetch(`${url}/slow`)))
        const ended = Promise.allSettled(calls)
        await settled(() => hosts.reduce((sum, { held }) => sum + held(), 0))
        return () => {
          for (const { server } of hosts) closed(server)
          return ended
        }
      },
    }
  }
  const close = async () => {
    for (const server of servers) closed(server)
    await out.close()
  }
  return { sharer, close }
}

async function webhooks(bench: Bench): Promise<Driver> {
  const dispatcher = bench.dispatch()
  const foreign = await aForeignServer()
  const sharer: Driver['sharer'] = async () => {
    const [quick, slow] = [await aTenant(bench), await aTenant(bench)]
    let arrived = 0
    const count = (asked: IncomingMessage) => {
      if (asked.url === `/quick/${quick.tenantId}`) arrived += 1
    }
    foreign.server.on('request', count)
    await anEndpoint(bench, quick, `${foreign.url}/quick/${quick.tenantId}`)
    return {
      call: async () => {
        const before = arrived
        await recordEvent(bench, quick)
        const begun = performance.now()
        await until(() => arrived > before, 5)
        assert.ok(performance.now() - begun < ADMITTED_MS, 'it waited for a place')
      },
      occupy: async () => {
        for (let n = 0; n < 5; n += 1) await anEndpoint(bench, slow, `${foreign.url}/slow/${n}`)
        const before = foreign.held()
        for (let n = 0; n < 20; n += 1) await recordEvent(bench, slow)
        await settled(() => foreign.held() - before)
        return () => undefined
      },
    }
  }
  const close = async () => {
    closed(foreign.server)
    await dispatcher.stop()
  }
  return { sharer, close }
}

const Body = Type.Object({ name: Type.String() }, { additionalProperties: false })
const common = { group: 'creds', path: '/things', summary: 'For tests.', scope: null, faults: [] } as const
const thingRoutes = [
  route({ ...common, method: 'POST', status: 201, body: Body, reply: Body, handle: ({ body }) => answer(body) }),
  route({ ...common, method: 'GET', status: 200, reply: Body, handle: () => answer({ name: 'a'.repeat(LARGE) }) }),
]

type Served = { readonly countMax: number; readonly part: number; readonly trustProxy: boolean }

/** A server with few places. Each sharer is a network, and its callers are of a tenant of its own. */
async function served(name: PlaceName, { countMax, part, trustProxy }: Served): Promise<Driver> {
  const platform = aPlatform({ config: { ...readConfig({}), port: 0, trustProxy } })
  nestedPlaces(platform.memory, name, { countMax, waitingMax: 0 })
  const server = aServer({
    routes: thingRoutes,
    platform,
    authenticate: async ({ headers: { authorization = '' } }) => {
      const [tenantId = '', id = ''] = authorization.replace('Bearer ', '').split(' ')
      return { ...aCaller('writer'), tenantId: tenantId as TenantId, actor: { kind: 'client', id } }
    },
  })
  const port = Number(new URL(await server.listen()).port)
  const sharer = holding((index) => {
    const tenantId = newId()
    let callers = 0
    return async () => {
      callers += 1
      const headers = {
        authorization: `Bearer ${tenantId} ${callers}`,
        'content-type': 'application/json',
        'x-forwarded-for': `198.51.${100 + index}.1`,
      }
      const from = { port, host: '127.0.0.1', localAddress: `127.0.0.${index + 2}` }
      if (name === 'http.connections') return silentConnection(from)
      if (name === 'http.answer_bytes') return unread({ ...from, headers })
      return half({ ...from, headers }, part)
    }
  })
  return { sharer, close: () => server.close(100) }
}

type From = { readonly port: number; readonly host: string; readonly localAddress: string }
type Sent = From & { readonly headers: Record<string, string> }

function silentConnection(from: From): Promise<End | null> {
  const socket = connect(from).on('error', () => undefined)
  return heldUnless(new Promise((done) => socket.once('data', done)), () => socket.destroy())
}

/** A request whose body does not arrive. */
function half({ headers, ...from }: Sent, bytes: number): Promise<End | null> {
  const length = String(Math.max(bytes, 200))
  const sent = request({ ...from, agent: false, method: 'POST', path: '/creds/things' })
  for (const [name, value] of Object.entries({ ...headers, 'content-length': length })) sent.setHeader(name, value)
  sent.on('error', () => undefined).write('{')
  return heldUnless(new Promise((done) => sent.once('response', done)), () => sent.destroy())
}

async function heldUnless(refusal: Promise<unknown>, close: () => void): Promise<End | null> {
  const isRefused = await Promise.race([refusal.then(() => true), delay(REFUSED_MS, false)])
  if (!isRefused) return left(close)
  close()
  return null
}

function left(close: () => void): End {
  return () => {
    close()
    return delay(REFUSED_MS)
  }
}

/** A large answer that is not read. */
async function unread({ headers, ...from }: Sent): Promise<End | null> {
  const sent = request({ ...from, agent: false, headers, path: '/creds/things' }).on('error', () => undefined)
  sent.end()
  const response = await new Promise<IncomingMessage>((done) => sent.once('response', done))
  if (response.statusCode === 200) return left(() => sent.destroy())
  sent.destroy()
  return null
}
