import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type DatabasePair, startPair } from './database-pair.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Load, startLoad } from './load.ts'
import type { Outcome } from './outcome.ts'

// Four servers behind a balancer, a primary with a synchronous standby, and load; then a machine is lost, or the
// servers are upgraded.
const SERVERS = 4
const WORKERS = 8
const WARM_MS = 10_000
const PROMOTE_AFTER_MS = 2000
const RECOVERY_MS_MAX = 10_000

type Scene = { readonly pair: DatabasePair; readonly fleet: Fleet; readonly load: Load }

/** The primary is killed; the standby is promoted. */
export const killed = () => onStage('killed', (scene) => failOver(scene, () => scene.pair.kill()))
/** The host of the primary falls silent; the standby is promoted. */
export const silent = () => onStage('silent', (scene) => failOver(scene, () => scene.pair.silence()))
/** All servers are upgraded over two migrations, one after another. */
export const rolling = () => onStage('rolling', upgrade)

async function onStage(name: string, play: (scene: Scene) => Promise<Outcome>): Promise<Outcome> {
  const logs = join(mkdtempSync(join(tmpdir(), 'chirograph-survival-')), `${name}.log`)
  const pair = await startPair()
  const fleet = await startFleet(pair.url, { count: SERVERS, logFile: logs })
  const load = await startLoad(fleet.url, WORKERS)
  try {
    await pause(WARM_MS)
    const { faults, figures } = await play({ pair, fleet, load })
    await load.stop()
    const missing = await load.missing()
    const lost = Object.entries(missing).filter(([, count]) => count > 0)
    return {
      figures: {
        ...figures,
        offers: load.offered.size,
        credentials: load.received.size,
        failedCalls: load.failures.length,
        lostOffers: missing.offers,
        lostCredentials: missing.credentials,
        untoldEvents: missing.events,
      },
      faults: [
        ...faults,
        ...lost.map(([what, count]) => `${count} acknowledged ${what} are missing`),
        ...(fleet.ended() > 0 ? [`${fleet.ended()} servers ended by themselves: ${logs}`] : []),
      ],
    }
  } finally {
    await load.stop()
    await fleet.stop()
    await pair.stop()
  }
}

/** Loses the primary and promotes the standby. Every server must issue within ten seconds of the promotion. */
async function failOver({ pair, fleet, load }: Scene, lose: () => void): Promise<Outcome> {
  lose()
  await pause(PROMOTE_AFTER_MS)
  await pair.promote()
  const promoted = performance.now()
  const back = await Promise.all(fleet.urls.map((url) => untilServed(load, url)))
  const secondsOf = (at: number) => Math.round((at - promoted) / 100) / 10
  const late = back.filter((at) => at - promoted > RECOVERY_MS_MAX)
  // More load on the new primary.
  await pause(WARM_MS)
  return {
    figures: { firstServerSeconds: secondsOf(Math.min(...back)), lastServerSeconds: secondsOf(Math.max(...back)) },
    faults: late.map((at) => `a server issued ${secondsOf(at)} s after the promotion`),
  }
}

async function untilServed(load: Load, url: string): Promise<number> {
  const end = performance.now() + 60_000
  while (!(await load.tryAt(url)) && performance.now() < end) await pause(100)
  return performance.now()
}

/** Upgrades all servers over two migrations, one after another. No call may fail. */
async function upgrade({ fleet, load }: Scene): Promise<Outcome> {
  const before = load.failures.length
  const next = nextVersion()
  try {
    const program = join(next, 'bin', 'chirograph.js')
    const { PATH = '', HOME = '' } = process.env
    await promisify(execFile)(process.execPath, [program, 'migrate'], { env: { PATH, HOME, ...fleet.settings } })
    await pause(2000)
    for (const index of fleet.urls.keys()) await fleet.replace(index, program)
    await pause(2000)
  } finally {
    rmSync(next, { recursive: true })
  }
  const failed = load.failures.slice(before)
  return {
    figures: { failedDuringUpgrade: failed.length },
    faults: [...new Set(failed)].map((what) => `a call failed: ${what}`),
  }
}

/** Copies this version, with two migrations more that old code runs on. @returns its folder */
function nextVersion(): string {
  const here = new URL('../..', import.meta.url).pathname
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-next-'))
  for (const name of ['bin', 'src', 'package.json']) cpSync(join(here, name), join(folder, name), { recursive: true })
  symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'))
  const migrations = join(folder, 'src/store/migrations')
  const last = Number(readdirSync(migrations).sort().at(-1)?.slice(0, 4))
  const changes = ['alter table issuance add column note text', 'create table survival_note (id uuid primary key)']
  for (const [index, change] of changes.entries()) {
    const number = String(last + 1 + index).padStart(4, '0')
    const header = `-- ${number} survival: a change.\n-- Locks: short. Old code runs on it: yes. Way back: drop it.\n`
    writeFileSync(join(migrations, `${number}_survival.sql`), `${header}${change};\n`)
  }
  return folder
}
