import { gzipSync } from 'node:zlib'

/** Bytes after gzip of a page and of what it loads at once. */
export type PageSize = { readonly html: number; readonly scripts: number; readonly style: number }

/** Budgets of the pages, in bytes after gzip. `list`: HTML of a full page of a list. */
export const sizesMax = { holder: 6_000, scan: 20_000, console: 25_000, style: 12_000, list: 15_000 } as const

/** At most so many calls of the API by one page; none for each row. */
export const API_CALLS_MAX = 5

/** Reads a page with a session, and what its head names. @throws Error when the page is not there */
export async function pageSize(url: string, path: string, cookie: string): Promise<PageSize> {
  const shown = await fetch(url + path, { headers: { cookie } })
  const html = await shown.text()
  if (shown.status !== 200) throw new Error(`${path}: ${shown.status}`)
  const assets = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, one = '']) => one)
  const weigh = async (ending: string) => {
    const found = assets.filter((one) => one.endsWith(ending))
    const weights = await Promise.all(found.map((one) => weightOf(url + one)))
    return weights.reduce((sum, one) => sum + one, 0)
  }
  return { html: gzipSync(html).length, scripts: await weigh('.js'), style: await weigh('.css') }
}

/** What is known of assets: their addresses contain their digests. */
const weights = new Map<string, Promise<number>>()

function weightOf(asset: string): Promise<number> {
  const known = weights.get(asset) ?? weigh(asset)
  weights.set(asset, known)
  return known
}

async function weigh(asset: string): Promise<number> {
  return gzipSync(await (await fetch(asset)).bytes()).length
}

/**
 * What a page costs the server: method and route of each call of our API, and how many statements were made meanwhile.
 */
export type Effort = { readonly calls: readonly string[]; readonly statements: number }

/**
 * Opens a page and counts its calls of our API and its statements, by the metrics of the server. Those that are made
 * besides are counted too.
 *
 * @throws Error when the page is not shown
 */
export async function effortOf(url: string, path: string, cookie: string): Promise<Effort> {
  return effortDuring(url, async () => {
    const shown = await fetch(url + path, { headers: { cookie }, redirect: 'manual' })
    await shown.arrayBuffer()
    if (shown.status >= 400) throw new Error(`${path}: ${shown.status}`)
  })
}

/** Counts the calls of our API and the statements that are made while `work` runs, as {@link effortOf}. */
export async function effortDuring(url: string, work: () => Promise<void>): Promise<Effort> {
  const before = await countersOf(url)
  await work()
  const after = await countersOf(url)
  const calls = [...after.calls].flatMap(([name, count]) =>
    Array.from({ length: count - (before.calls.get(name) ?? 0) }, () => name),
  )
  return { calls: calls.sort(), statements: after.statements - before.statements }
}

/** @returns method and route of each call that a page made, as {@link effortOf} */
export async function apiCallsOf(url: string, path: string, cookie: string): Promise<readonly string[]> {
  return (await effortOf(url, path, cookie)).calls
}

async function countersOf(url: string): Promise<{ readonly calls: Map<string, number>; readonly statements: number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const calls = new Map<string, number>()
  const lines = text.matchAll(/^http_request_duration_seconds_count\{method="(\w+)",route="([^"]+)",[^}]*\} (\d+)$/gm)
  for (const [, method = '', route = '', count = ''] of lines) {
    // The session asks who the person is when it renews its token, whichever page is opened then.
    if (!/^\/(creds|wallet|onboarding)\//.test(route) || route === '/onboarding/me') continue
    const name = `${method} ${route}`
    calls.set(name, (calls.get(name) ?? 0) + Number(count))
  }
  return { calls, statements: Number(/^store_statements_total (\d+)$/m.exec(text)?.[1]) }
}
