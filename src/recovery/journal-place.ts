import { s3Location } from '../config/s3-account.ts'
import type { Config } from '../config.ts'
import type { Clock, RevocationJournal } from '../platform.ts'
import { openObjectStore } from './bucket.ts'
import { openJournal, type PlacedLine, readJournal } from './journal-file.ts'
import { openJournalObjects, readJournalObjects } from './journal-objects.ts'

type Settings = Pick<Config, 'revocationJournal' | 'objectStore'>

/** A journal that keeps nothing, for deployments without REVOCATION_JOURNAL. */
export const noJournal: RevocationJournal = { isKept: false, append: async () => undefined }

/** Returns the journal of REVOCATION_JOURNAL: a folder, or objects in an S3-compatible store. */
export function journalOf({ revocationJournal, objectStore }: Settings, clock: Clock): RevocationJournal {
  if (revocationJournal === null) return noJournal
  const location = s3Location(revocationJournal)
  if (location === null || objectStore === null) return openJournal(revocationJournal, clock)
  return openJournalObjects(openObjectStore(objectStore, location.bucket), location.key, clock)
}

/**
 * Reads all lines of the journal that were written at a time or later, and possibly earlier ones; null without
 * REVOCATION_JOURNAL.
 *
 * @throws Error that names the place that cannot be read
 */
export function readJournalOf(
  { revocationJournal, objectStore }: Settings,
  since: Date,
): AsyncGenerator<PlacedLine> | null {
  if (revocationJournal === null) return null
  const location = s3Location(revocationJournal)
  if (location === null || objectStore === null) return readJournal(revocationJournal, since)
  return readJournalObjects(openObjectStore(objectStore, location.bucket), location.key, since)
}
