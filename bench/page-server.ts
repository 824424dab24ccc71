import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { API_CALLS_MAX, pageSize, sizesMax } from '../test/support/page-budgets.ts'
import type { CallRecord } from './call-record.ts'
import { report } from './page-figures.ts'
import { type Person, shortly, type World } from './page-world.ts'

/** While V8 is still compiling. */
const WARM_UP_LOADS = 100
const ROUNDS = 5
const LOADS = 40
const IDLE_MS = 5000
const CPU_MS_MAX = 3
const EMBED_BYTES_MAX = 8000

/** Bytes of each kind of page after gzip. */
export async function benchSizes({ url, owner, holder, pages }: World): Promise<void> {
  for (const [kind, paths, cookie, scriptsMax] of [
    ['console', pages.console, owner.cookie, sizesMax.console],
    ['holder', pages.holder.filter((path) => path !== '/me/scan'), holder.cookie, sizesMax.holder],
    ['scan', ['/me/scan'], holder.cookie, sizesMax.scan],
    ['visitor', pages.visitor, '', sizesMax.holder],
  ] as const) {
    const sizes = await Promise.all(paths.map((path) => pageSize(url, path, cookie)))
    const most = (name: 'scripts' | 'style') => Math.max(...sizes.map((one) => one[name])) / 1000
    report(`${kind}: scripts`, most('scripts'), scriptsMax / 1000, 'kB')
    report(`${kind}: style`, most('style'), sizesMax.style / 1000, 'kB')
  }
  const embed = await (await fetch(`${url}/embed.js`)).arrayBuffer()
  report('script for websites', gzipSync(Buffer.from(embed)).length / 1000, EMBED_BYTES_MAX / 1000, 'kB')
  const root = {
    type: 'verifierRoot',
    keyType: 'P-256',
    countryName: 'ZA',
    issuerAlternativeNameUrl: 'https://c.example',
  }
  const acme = await owner.api()
  await Promise.all(Array.from({ length: 100 }, () => acme.post('/creds/certificates', root)))
  const { html } = await pageSize(url, '/console/certificates', owner.cookie)
  report('HTML of a full page of a list', html / 1000, sizesMax.list / 1000, 'kB')
}

/** The server that is measured. */
type Measured = { readonly url: string; readonly record: CallRecord; readonly idle: Used }

/**
 * Calls of the API by each page, and its CPU less that of the same calls by a client. Both contain the work of a
 * connection, so a page of many calls seems cheaper.
 */
export async function benchServer({ url, owner, holder, pages }: World, record: CallRecord): Promise<void> {
  const idle = await usedDuring(url, () => sleep(IDLE_MS))
  for (const [paths, person] of [
    [pages.console, owner],
    [pages.holder, holder],
  ] as const)
    for (const path of paths) await benchPage({ url, record, idle }, path, person)
}

async function benchPage({ url, record, idle }: Measured, path: string, { cookie, api }: Person): Promise<void> {
  const page = () => read(url + path, { cookie })
  const calls = await record.during(page)
  report(`${shortly(path)}: calls of the API`, calls.length, API_CALLS_MAX, 'calls')
  const targets = calls.flatMap((one) => (one.startsWith('GET ') ? [one.slice(4)] : []))
  const { token } = await api()
  const callsAlone = async () => {
    for (const target of targets) await read(url + target, { authorization: `Bearer ${token}` })
  }
  const [whole = 0, ofCalls = 0] = await cpuOf(url, idle, [page, callsAlone])
  report(`${shortly(path)}: CPU besides them`, Math.max(0, whole - ofCalls), CPU_MS_MAX, 'ms')
}

/** Fetches an address to its last byte. @throws Error when the status is not 200 */
export async function read(url: string, headers: Record<string, string>): Promise<void> {
  const shown = await fetch(url, { headers })
  await shown.arrayBuffer()
  if (shown.status !== 200) throw new Error(`${url}: ${shown.status}`)
}

/**
 * CPU of the server for each piece of work, in ms, of its cheapest round: other processes of the machine disturbed it
 * least. They take turns.
 *
 * @param idle CPU of the server without requests, which its own jobs use meanwhile
 */
async function cpuOf(url: string, idle: Used, works: readonly (() => Promise<void>)[]): Promise<readonly number[]> {
  for (const work of works) for (let n = 0; n < WARM_UP_LOADS; n += 1) await work()
  const least = works.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, work] of works.entries()) {
      const used = await usedDuring(url, async () => {
        for (let n = 0; n < LOADS; n += 1) await work()
      })
      const ofWork = used.cpuMs - idle.cpuMs * (used.elapsedMs / idle.elapsedMs)
      least[index] = Math.min(least[index] ?? 0, ofWork / LOADS)
    }
  return least
}

/** CPU of a server in a time. */
type Used = { readonly cpuMs: number; readonly elapsedMs: number }

async function usedDuring(url: string, work: () => Promise<void>): Promise<Used> {
  const [before, from] = [await cpuMs(url), performance.now()]
  await work()
  return { cpuMs: (await cpuMs(url)) - before, elapsedMs: performance.now() - from }
}

/** Returns the CPU that a server has used so far, in ms. */
export async function cpuMs(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return 1000 * Number(/^process_cpu_seconds_total ([\d.e+-]+)$/m.exec(text)?.[1])
}
