import { gzipSync } from 'node:zlib'
import { API_CALLS_MAX, apiCallsOf, pageSize, sizesMax } from '../test/support/page-budgets.ts'
import { report } from './page-figures.ts'
import { type Person, shortly, type World } from './page-world.ts'

const CPU_LOADS = 60
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
  report('HTML of a list of 100', html / 1000, sizesMax.list / 1000, 'kB')
}

/** Calls of the API by each page, and its CPU less that of the same calls by a client. Both contain the work of a connection, so a page of many calls seems cheaper. */
export async function benchServer({ url, owner, holder, pages }: World): Promise<void> {
  for (const [paths, person] of [
    [pages.console, owner],
    [pages.holder, holder],
  ] as const)
    for (const path of paths) await benchPage(url, path, person)
}

async function benchPage(url: string, path: string, { cookie, api }: Person): Promise<void> {
  const calls = await apiCallsOf(url, path, cookie)
  report(`${shortly(path)}: calls of the API`, calls.length, API_CALLS_MAX, 'calls')
  const id = path.split('?')[0]?.split('/').at(-1) ?? ''
  const targets = calls.flatMap((one) => (one.startsWith('GET ') ? one.slice(4).replace(/\{\w+\}/, id) : []))
  const page = await cpuOf(url, () => read(url + path, { cookie }))
  const { token } = await api()
  const work = async () => {
    for (const target of targets) await read(url + target, { authorization: `Bearer ${token}` })
  }
  const rest = targets.length === 0 ? 0 : await cpuOf(url, work)
  report(`${shortly(path)}: CPU besides them`, Math.max(0, page - rest), CPU_MS_MAX, 'ms')
}

/** Fetches an address to its last byte. @throws Error when the status is not 200 */
export async function read(url: string, headers: Record<string, string>): Promise<void> {
  const shown = await fetch(url, { headers })
  await shown.arrayBuffer()
  if (shown.status !== 200) throw new Error(`${url}: ${shown.status}`)
}

async function cpuOf(url: string, work: () => Promise<void>): Promise<number> {
  const seconds = async () =>
    Number(/^process_cpu_seconds_total ([\d.e+-]+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])
  for (let n = 0; n < CPU_LOADS; n += 1) await work()
  const rounds: number[] = []
  // The cheapest round: other processes of the machine disturbed it least.
  for (let round = 0; round < 3; round += 1) {
    const before = await seconds()
    for (let n = 0; n < CPU_LOADS; n += 1) await work()
    rounds.push((((await seconds()) - before) / CPU_LOADS) * 1000)
  }
  return Math.min(...rounds)
}
