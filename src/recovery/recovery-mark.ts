import { pollingDelay } from '../jobs/polling.ts'
import type { Platform } from '../platform.ts'
import { type Beat, countBeat, findDeploymentBeat, findRestoredAt } from './deployment-store.ts'
import type { RecoveryMark } from './mark-file.ts'
import type { MarkPlace } from './mark-place.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'log'>

/** Keeps the mark current while the server runs. */
export type MarkKeeper = {
  /** Rejects once the database is found to be an older state than this process has seen. */
  readonly checkState: () => Promise<void>
  /** Rejects if the loop has not turned for a minute. */
  readonly check: () => Promise<void>
  /** Seconds since this process last wrote the mark, or was started. */
  readonly ageSeconds: () => number
  readonly stop: () => Promise<void>
}

const BEAT_MS = 5000

/**
 * Refuses a database that is older than the one that was served last: spent offers would open again, revocations be
 * undone, status list entries be given twice. Reads only, so it runs before anything is written, also before
 * migrations.
 *
 * @throws Error that names the command to run
 */
export async function refuseOlderState({ store }: Pick<Platform, 'store'>, place: MarkPlace): Promise<void> {
  const mark = await place.read()
  if (mark === null) return
  if ((await store.schema()) === 'none') {
    throw new Error(
      `the database is empty, and ${place.name} is the RECOVERY_MARK of a deployment that was served until ${mark.at}: correct DATABASE_URL, restore a backup and run \`chirograph recover --since TIME\`, or name another file`,
    )
  }
  const found = await store.across('how far the database has counted', findDeploymentBeat)
  const problem = olderThan(mark, found)
  if (problem !== null) throw new Error(problem)
}

/** Returns when the deployment was last recovered from an older state; null: never. */
export function restoredAtOf(store: Platform['store']): Promise<Date | null> {
  return store.across('when the deployment was recovered', findRestoredAt)
}

/** Writes the mark at once and then about every 5 s, each time after the database has counted one further. */
export function keepMark(needs: Needs, place: MarkPlace, beatMs = BEAT_MS): MarkKeeper {
  const { store, clock, log } = needs
  let last: Beat | null = null
  let isOlder = false
  let writtenAt = performance.now()
  const loop = pollingDelay(beatMs, async () => {
    const beat = await store.across('counts one further', countBeat)
    if (last !== null && (beat.deployment !== last.deployment || beat.beat <= last.beat)) isOlder = true
    if (isOlder) {
      log.error(
        { beat: beat.beat, seen: last?.beat },
        'the database was set back to an older state: stop all servers and run `chirograph recover`',
      )
      return
    }
    last = beat
    await place.write({ ...beat, at: clock.now().toISOString() })
    writtenAt = performance.now()
  })
  loop.onError((error) => log.warn({ err: error }, 'the recovery mark could not be written'))
  loop.wake()
  return {
    check: loop.check,
    ageSeconds: () => Math.round((performance.now() - writtenAt) / 1000),
    checkState: async () => {
      if (isOlder) throw new Error('the database was set back to an older state')
    },
    stop: loop.stop,
  }
}

function olderThan(mark: RecoveryMark, found: Beat): string | null {
  if (mark.deployment !== found.deployment) {
    return `RECOVERY_MARK is of another deployment (${mark.deployment}), this database is of ${found.deployment}: correct DATABASE_URL, or name another file`
  }
  if (mark.beat <= found.beat) return null
  return `the database is an older state than the one that was served until ${mark.at}. If a backup was restored, run \`chirograph recover --since TIME\`, the time of the backup`
}
