import { type Dispatcher, Pool } from 'undici'
import type { Call } from '../demo/foreign-wallet.ts'
import { type Json, read } from '../demo/json.ts'

/**
 * Sends requests to servers in turn over connections that stay open; cheap, so that the client does not dominate the
 * measurement.
 */
export type Client = {
  /** @throws Error when the status is not 2xx. */
  readonly send: (method: Dispatcher.HttpMethod, path: string, more?: More) => Promise<Json>
  /** The same for a foreign wallet, which uses absolute addresses. */
  readonly foreign: Call
  /** What each of the servers answers. */
  readonly each: (path: string) => Promise<string[]>
  readonly close: () => Promise<void>
}

type More = { readonly token?: string; readonly json?: Json; readonly form?: Record<string, string> }

/** Opens up to `connections` connections to each server. All have the public address of the first one. */
export function openClient(urls: readonly [string, ...string[]], connections: number): Client {
  const pools = urls.map((url) => new Pool(url, { connections, pipelining: 1 }))
  let turn = 0
  const raw = async (method: Dispatcher.HttpMethod, path: string, more: More = {}, at = turn++) => {
    const { token, json, form } = more
    const pool = pools[at % pools.length]
    if (pool === undefined) throw new Error('there is no server')
    const headers: Record<string, string> = {}
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (json !== undefined) headers['content-type'] = 'application/json'
    if (form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded'
    const body =
      json !== undefined ? JSON.stringify(json) : form !== undefined ? new URLSearchParams(form).toString() : null
    const answer = await pool.request({ method, path, headers, body })
    const source = await answer.body.text()
    if (answer.statusCode > 299) throw new Error(`${method} ${path}: ${answer.statusCode} ${source}`)
    return source
  }
  const send: Client['send'] = async (method, path, more) => {
    const source = await raw(method, path, more)
    return source.startsWith('{') ? read(source) : source
  }
  return {
    send,
    foreign: (method, address, more) => send(method, address.slice(urls[0].length), more),
    each: (path) => Promise.all(pools.map((_, at) => raw('GET', path, {}, at))),
    close: async () => void (await Promise.all(pools.map((pool) => pool.close()))),
  }
}

/** One measurement. CPU, statements and round trips are the server's, per flow. */
export type Figures = {
  readonly flows: number
  readonly perSecond: number
  readonly cpuMs: number
  /** CPU in the cheapest window: what is left when the neighbours of the machine are quiet. */
  readonly cpuMsLowest: number
  readonly statements: number
  readonly roundTrips: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Long enough for some hundred flows, short enough that a noisy neighbour does not affect every window. */
const WINDOW_MS = 2000

/** A repeated piece of work. `flow` receives the number of the repetition. */
export type Load = {
  readonly atOnce: number
  readonly flow: (turn: number) => Promise<unknown>
  /** Ends after this many turns, if the time is not over before. */
  readonly turnsMax?: number
}

/** Runs a load for a time and reads the server's metrics before and after. Latencies in ms. */
export async function measure(
  client: Client,
  { atOnce, flow, turnsMax = Number.POSITIVE_INFINITY }: Load,
  seconds: number,
): Promise<Figures> {
  const latencies: number[] = []
  const before = await countersOf(client)
  const windows = openWindows(client, before, () => latencies.length)
  const from = performance.now()
  const until = from + seconds * 1000
  let turn = 0
  const worker = async () => {
    while (performance.now() < until && turn < turnsMax) {
      const mine = turn
      turn += 1
      const begun = performance.now()
      await flow(mine)
      latencies.push(performance.now() - begun)
      await windows.look()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const elapsed = performance.now() - from
  const after = await countersOf(client)
  latencies.sort((a, b) => a - b)
  const per = (name: keyof Counters) => (after[name] - before[name]) / latencies.length
  const percentile = (share: number) => latencies[Math.floor(share * (latencies.length - 1))] ?? Number.NaN
  return {
    flows: latencies.length,
    perSecond: (latencies.length / elapsed) * 1000,
    cpuMs: per('cpuSeconds') * 1000,
    cpuMsLowest: Math.min(windows.lowestMs(), per('cpuSeconds') * 1000),
    statements: per('statements'),
    roundTrips: per('roundTrips'),
    p50: percentile(0.5),
    p95: percentile(0.95),
    p99: percentile(0.99),
  }
}

/**
 * Reads the CPU time of a server once a window, at the first flow that ends after it. `lowestMs`: per flow in the
 * cheapest window; infinite without a full window.
 */
function openWindows(client: Client, before: Counters, flowsNow: () => number) {
  let opened = { at: performance.now(), cpuSeconds: before.cpuSeconds, flows: 0 }
  let isAsking = false
  let lowest = Number.POSITIVE_INFINITY
  return {
    look: async () => {
      const at = performance.now()
      if (isAsking || at - opened.at < WINDOW_MS) return
      isAsking = true
      const { cpuSeconds } = await countersOf(client)
      const flows = flowsNow()
      lowest = Math.min(lowest, ((cpuSeconds - opened.cpuSeconds) / (flows - opened.flows)) * 1000)
      opened = { at, cpuSeconds, flows }
      isAsking = false
    },
    lowestMs: () => lowest,
  }
}

/** Counters of the server. */
export type Counters = {
  readonly cpuSeconds: number
  readonly statements: number
  readonly roundTrips: number
  readonly residentBytes: number
}

/** Reads `/metrics` of all servers, added up. @throws Error when a figure is not there. */
export async function countersOf(client: Client): Promise<Counters> {
  const pages = await client.each('/metrics')
  const value = (name: string) =>
    pages.reduce((sum, page) => {
      const found = page.match(new RegExp(`^${name}(?:\\{[^}]*\\})? ([0-9.e+-]+)$`, 'm'))?.[1]
      if (found === undefined) throw new Error(`/metrics has no ${name}`)
      return sum + Number(found)
    }, 0)
  return {
    cpuSeconds: value('process_cpu_seconds_total'),
    statements: value('store_statements_total'),
    roundTrips: value('store_round_trips_total'),
    residentBytes: value('process_resident_memory_bytes'),
  }
}
