import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bootstrap } from '../test/support/server.ts'
import { serverChildren } from '../test/support/server-children.ts'
import { rank, report } from './page-figures.ts'
import { cpuMs, read } from './page-server.ts'

const STARTS = 5
const FIRST_PAGES = 3
const [START_CPU_MS_MAX, FIRST_PAGE_MS_MAX] = [30, 100]

/**
 * What the pages add to the start: CPU of loading their modules after all others that the application needs, with the
 * cache of compiled modules.
 */
export function benchStart(): void {
  const source = (path: string) => fileURLToPath(new URL(`../src/${path}`, import.meta.url))
  const rooms = [...readFileSync(source('contributions.ts'), 'utf8').matchAll(/ from '\.\/(.+)'$/gm)]
  const paths = rooms.map(([, path = '']) => path)
  const ofPages = paths.filter((path) => /^(console|holder|visitor)\//.test(path))
  const others = ['http/server/server.ts', ...paths.filter((path) => !ofPages.includes(path))]
  const load = (some: readonly string[]) => some.map((path) => `await import(${JSON.stringify(source(path))})`)
  const script = [
    "process.removeAllListeners('warning'); (await import('node:module')).default.enableCompileCache()",
    ...load(others),
    'const from = process.cpuUsage()',
    ...load(ofPages),
    'const { user, system } = process.cpuUsage(from)',
    'console.log((user + system) / 1000)',
  ].join('\n')
  // The first one fills the cache.
  const [, ...times] = Array.from({ length: STARTS + 1 }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    if (stdout === '') throw new Error(stderr)
    return Number(stdout)
  })
  report('start of the server: CPU of the pages', rank(times, 0.5), START_CPU_MS_MAX, 'ms')
}

/** Of a server without requests, in a second. */
const QUIET_CPU_MS = 50
const WAITS_MAX = 120

/** Waits until the jobs of a new server have had their first turn, which is no cost of a page. */
async function untilQuiet(url: string): Promise<void> {
  for (let waits = 0; waits < WAITS_MAX; waits += 1) {
    const before = await cpuMs(url)
    await sleep(1000)
    if ((await cpuMs(url)) - before < QUIET_CPU_MS) return
  }
}

/** The first page of a new process: time, and CPU of the server. */
export async function benchFirstPage(): Promise<void> {
  const [times, cpu]: [number[], number[]] = [[], []]
  for (let start = 0; start < FIRST_PAGES; start += 1) {
    const server = await serverChildren(bootstrap)
    try {
      await untilQuiet(server.url)
      const before = await cpuMs(server.url)
      const from = performance.now()
      await read(`${server.url}/sign-in`, {})
      times.push(performance.now() - from)
      cpu.push((await cpuMs(server.url)) - before)
    } finally {
      await server.stop()
    }
  }
  report('first page of a new process', rank(times, 0.5), FIRST_PAGE_MS_MAX, 'ms')
  report('first page of a new process: CPU', rank(cpu, 0.5), FIRST_PAGE_MS_MAX, 'ms')
}
