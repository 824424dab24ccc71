import { s3Location } from '../config/s3-account.ts'
import type { Config } from '../config.ts'
import { withTimeLimit } from '../time-limit.ts'
import { openObjectStore } from './bucket.ts'
import { markIn, type RecoveryMark, readMarkFile, writeMarkFile } from './mark-file.ts'
import { limitedWrites, WRITE_MS_MAX } from './outside-disk.ts'

/** Where the mark is, outside the database. */
export type MarkPlace = {
  /** As RECOVERY_MARK names it. */
  readonly name: string
  /** @returns null if there is none yet. @throws Error that names the setting, if it cannot be read or is no mark */
  readonly read: () => Promise<RecoveryMark | null>
  /** Replaces the mark. A crash at any moment leaves the former mark or this one. */
  readonly write: (mark: RecoveryMark) => Promise<void>
}

/** Returns where the mark is; null without RECOVERY_MARK. Each call has a time limit. */
export function markPlaceOf(
  { recoveryMark, objectStore }: Pick<Config, 'recoveryMark' | 'objectStore'>,
  msMax = WRITE_MS_MAX,
): MarkPlace | null {
  if (recoveryMark === null) return null
  const location = s3Location(recoveryMark)
  if (location === null || objectStore === null) {
    const limited = limitedWrites(recoveryMark, msMax)
    const late = () => new Error(`RECOVERY_MARK ${recoveryMark} cannot be read: no answer within ${msMax} ms`)
    return {
      name: recoveryMark,
      read: () => withTimeLimit(readMarkFile(recoveryMark), msMax, late),
      write: (mark) => limited(() => writeMarkFile(recoveryMark, mark)),
    }
  }
  const store = openObjectStore(objectStore, location.bucket)
  return markObject(recoveryMark, {
    get: () => store.get(location.key),
    put: (body, ifMatch) => store.put(location.key, body, ifMatch),
  })
}

type OneObject = {
  readonly get: () => Promise<{ readonly body: string; readonly etag: string } | null>
  readonly put: (body: string, ifMatch: string | null) => Promise<string | null>
}

/** Retries when another server has written meanwhile. */
const TRIES_MAX = 5

/**
 * A mark in an object that all servers share. It never goes back: a server that is behind another one leaves the mark
 * of that one.
 */
function markObject(name: string, object: OneObject): MarkPlace {
  let etag: string | null = null
  const read = async () => {
    const found = await object.get().catch((cause: unknown) => {
      throw new Error(`RECOVERY_MARK ${name} cannot be read`, { cause })
    })
    etag = found?.etag ?? null
    const mark = found === null ? null : markIn(found.body)
    if (found !== null && mark === null)
      throw new Error(`RECOVERY_MARK ${name} is not a recovery mark: name another object`)
    return mark
  }
  return {
    name,
    read,
    write: async (mark) => {
      for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
        const written = await object.put(`${JSON.stringify(mark)}\n`, etag)
        if (written !== null) {
          etag = written
          return
        }
        const other = await read()
        if (other !== null && other.deployment !== mark.deployment)
          throw new Error(`RECOVERY_MARK ${name} is of another deployment`)
        if (other !== null && other.beat >= mark.beat) return
      }
      throw new Error(`RECOVERY_MARK ${name} is written by too many servers at once`)
    },
  }
}
