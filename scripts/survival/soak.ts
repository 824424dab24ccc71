import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '../../test/support/postgres.ts'
import { startFleet } from './fleet.ts'
import { anOrganisation, type Organisation, organisationsFile } from './organisation.ts'
import type { Options, Outcome } from './outcome.ts'
import { faultsOf, type Part } from './soak-parts.ts'

const SERVERS = 2
const WORKERS = 8
const CALIBRATION_MS = 20_000
const SHARE = 0.7
/** Parts of the time whose figures are compared. */
const PARTS = 6
const PAGE_BYTES = 4096
const MB = 1_000_000

/**
 * Whole issuances at 70 % of what the deployment does at most here, for some minutes: offer, token, nonce, credential
 * by a foreign wallet. Memory of the servers and the slowest one in a hundred must be as flat in the end as in the
 * beginning, and no part may stand out.
 */
export async function soak({ minutes }: Options): Promise<Outcome> {
  const database = await startPostgres({ durable: true })
  const logFile = join(mkdtempSync(join(tmpdir(), 'chirograph-soak-')), 'servers.log')
  const fleet = await startFleet(database.url, { count: SERVERS, logFile, file: organisationsFile(['acme']) })
  try {
    const one = await anOrganisation(fleet.url, 'acme')
    const most = await run(one, CALIBRATION_MS, 0)
    const perSecond = most.latencies.length / (CALIBRATION_MS / 1000)
    const parts: Part[] = []
    for (let part = 0; part < PARTS; part += 1) {
      const ms = (minutes * 60_000) / PARTS
      const { latencies, failed } = await run(one, ms, perSecond * SHARE)
      const megabytes = fleet.pids().reduce((sum, pid) => sum + residentMegabytes(pid), 0)
      const figures = {
        megabytes,
        p99: percentile(latencies, 0.99),
        slowest: percentile(latencies, 1),
        perSecond: Math.round((latencies.length / ms) * 10_000) / 10,
        failed,
      }
      // If the soak is ended before its time is over, the figures of its parts are known all the same.
      console.error(JSON.stringify(figures))
      parts.push(figures)
    }
    return { figures: figuresOf(minutes, perSecond, parts), faults: [...faultsOf(parts), ...endedIn(fleet.ended())] }
  } finally {
    await fleet.stop()
    await database.stop()
  }
}

function figuresOf(minutes: number, mostPerSecond: number, parts: readonly Part[]): Outcome['figures'] {
  return {
    minutes,
    mostPerSecond: Math.round(mostPerSecond * 10) / 10,
    perSecond: parts.map((part) => part.perSecond),
    megabytes: parts.map((part) => part.megabytes),
    p99Ms: parts.map((part) => part.p99),
    slowestMs: parts.map((part) => part.slowest),
    failed: parts.map((part) => part.failed),
  }
}

function endedIn(count: number): string[] {
  return count > 0 ? [`${count} servers ended by themselves`] : []
}

/** Issues for a time. @param perSecond 0: as fast as it goes */
async function run(one: Organisation, ms: number, perSecond: number): Promise<{ latencies: number[]; failed: number }> {
  const latencies: number[] = []
  const began = performance.now()
  let turn = 0
  let failed = 0
  const work = async () => {
    for (;;) {
      // By the clock, not by the answer before: a slow answer must not lessen the load.
      const due = perSecond === 0 ? performance.now() : began + (turn++ * 1000) / perSecond
      if (due - began > ms || performance.now() - began > ms) return
      await pause(Math.max(0, due - performance.now()))
      const from = performance.now()
      try {
        await one.receive(await one.offer())
        latencies.push(performance.now() - from)
      } catch (error) {
        failed += 1
        console.error(error)
      }
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  return { latencies, failed }
}

function percentile(latencies: number[], share: number): number {
  latencies.sort((a, b) => a - b)
  return Math.round(latencies[Math.floor(share * (latencies.length - 1))] ?? Number.NaN)
}

/** @see proc_pid_statm(5) */
function residentMegabytes(pid: number): number {
  const [, resident = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return Math.round((Number(resident) * PAGE_BYTES) / MB)
}
