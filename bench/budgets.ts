import type { Figures } from './measure.ts'
import type { PostgresCounters } from './postgres-figures.ts'

/** The figures of one load of issuances: of the servers, of PostgreSQL, and the floor beside them. */
type Measured = Figures & {
  readonly before: PostgresCounters
  readonly after: PostgresCounters
  readonly bytesKept: number
  readonly floorMs: number
}

/** Prints each figure of an issuance beside its budget. @returns whether all are within */
export function printBudgets({ flows, cpuMs, roundTrips, before, after, bytesKept, floorMs }: Measured): boolean {
  const per = (name: keyof PostgresCounters) => (after[name] - before[name]) / flows
  const hotShare = per('hotUpdates') / per('updates')
  const rows: readonly (readonly [string, number, number, string])[] = [
    ['CPU of the servers', cpuMs / floorMs, 7.5, `floors (${cpuMs.toFixed(2)} ms)`],
    ['CPU of PostgreSQL', per('cpuMs') / floorMs, 5, `floors (${per('cpuMs').toFixed(2)} ms)`],
    ['WAL', per('walBytes') / 1024, 4.5, 'KiB'],
    ['WAL records', per('walRecords'), 22, ''],
    ['kept on disk', bytesKept / flows / 1000, 3.3, 'KB'],
    ['round trips', roundTrips, 5, ''],
  ]
  for (const [what, found, most, unit] of rows) {
    const verdict = found <= most ? 'pass' : 'FAIL'
    console.log(`    ${verdict}  ${what.padEnd(20)}${found.toFixed(2).padStart(7)} of ${most} ${unit}`)
  }
  console.log(`          updates that are HOT ${(100 * hotShare).toFixed(0).padStart(4)} %`)
  return rows.every(([, found, most]) => found <= most)
}
