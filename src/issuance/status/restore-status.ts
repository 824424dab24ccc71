import type { JsonObject } from '../../crypto/json.ts'
import { statusValues } from '../../protocols/status-list/packed-list.ts'
import type { JournalReplay, Restore } from '../../recovery/restore.ts'
import { isWrittenUuid } from '../../uuid.ts'
import { markEntries } from './mark-entries.ts'
import {
  closeStatusLists,
  endOpenOffers,
  insertLostLists,
  type JournaledStanding,
  restoreStanding,
} from './restore-status-store.ts'
import { LIST_ENTRIES } from './status-entries.ts'

/** Lines that are repeated in one transaction. */
const LINES_MAX = 1000

/**
 * Sets the standing that the journal has for credentials of the tenant, in their rows and in their lists. A credential
 * that the restored state does not know keeps its entry in the list all the same, so that its verifiers see that it is
 * revoked.
 */
const replay: JournalReplay['replay'] = async ({ store, clock }, tenantId, lines) => {
  const latest = latestOf(lines)
  const problems = latest.flatMap((one) => (typeof one === 'string' ? [one] : []))
  const lost = latest.flatMap((one) => (typeof one === 'string' ? [] : [one]))
  for (let at = 0; at < lost.length; at += LINES_MAX) {
    const some = lost.slice(at, at + LINES_MAX)
    await store.inTenant(tenantId, async (tx) => {
      await insertLostLists(tx, some, clock.now())
      await restoreStanding(tx, some, clock.now())
      for (const [standing, entries] of Map.groupBy(some, (one) => one.standing))
        await markEntries(tx, entries, statusValues[standing])
    })
  }
  return { applied: lost.length, problems }
}

/** What a folder does after a restore: open lists and offers end, and revocations of the lost time hold again. */
export const statusRestore: Restore = {
  steps: [
    { name: 'status lists closed', run: closeStatusLists },
    { name: 'offers ended', run: endOpenOffers },
  ],
  replays: [{ kind: 'status', replay }],
}

type Line = JournaledStanding & { readonly at: string }

/** The strictest of the latest lines about each credential; a sentence for a line that says something else. */
function latestOf(lines: readonly JsonObject[]): (JournaledStanding | string)[] {
  const read = lines.map(standingIn)
  const byIssuance = Map.groupBy(
    read.filter((one) => typeof one !== 'string'),
    ({ issuanceId }) => issuanceId,
  )
  const rank = { valid: 0, suspended: 1, revoked: 2 }
  const latest = [...byIssuance.values()].flatMap((some) =>
    some.toSorted((a, b) => b.at.localeCompare(a.at) || rank[b.standing] - rank[a.standing]).slice(0, 1),
  )
  return [...latest, ...read.filter((one) => typeof one === 'string')]
}

function standingIn(line: JsonObject): Line | string {
  const { at, issuanceId, standing, listId, indices, bits, authorityId, kid } = line
  const isKnown =
    typeof at === 'string' &&
    isWrittenUuid(issuanceId) &&
    isWrittenUuid(listId) &&
    (standing === 'valid' || standing === 'suspended' || standing === 'revoked') &&
    (bits === 1 || bits === 2) &&
    (authorityId === null || isWrittenUuid(authorityId)) &&
    (kid === null || typeof kid === 'string') &&
    isEntries(indices)
  if (!isKnown) return `a line of kind status is not of this version: ${JSON.stringify(line).slice(0, 200)}`
  return { at, issuanceId, standing, listId, indices: indices as number[], bits, authorityId, kid }
}

function isEntries(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => Number.isInteger(one) && one >= 0 && one < LIST_ENTRIES)
}
