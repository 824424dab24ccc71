import type { TenantId } from '../../caller.ts'
import { allTenantIds } from '../../directory/tenants/find-tenant.ts'
import type { Platform } from '../../platform.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import { deleteListPiece, listEndedLists, listPieces } from '../status/ended-list-store.ts'
import type { ValidityMoment } from '../templates/validity.ts'
import {
  deleteEndedPart,
  type EndingVersion,
  type IssuanceRange,
  listEndingVersions,
} from './ended-credential-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'config'>

const DAY_MS = 86_400_000
/** Rows that one transaction looks at, and deletes at most: some 50 ms. */
const ROWS_EACH = 1000
const LISTS_EACH = 100
/** Clocks of servers differ: an issuance may have an earlier id than its template. */
const SKEW_MS = 3_600_000

/**
 * Deletes the issuances whose credential ended longer ago than CREDENTIAL_RETENTION_DAYS, then the closed status lists
 * that have no other credentials. Credentials without an end stay, and so does the audit trail. In pieces, template by
 * template along the ids, since the end of a credential is in no index that each issuance would have to write.
 */
export async function deleteEndedCredentials(needs: Needs, signal: AbortSignal): Promise<void> {
  const { store, clock, config } = needs
  const before = new Date(clock.now().getTime() - config.credentialRetentionDays * DAY_MS)
  for (const tenantId of await allTenantIds(needs)) {
    if (signal.aborted) return
    const versions = await store.single(tenantId, listEndingVersions)
    for (const range of endedRanges(versions, before)) await deleteRange(needs, tenantId, range, before, signal)
    if (versions.length > 0) await deleteEndedLists(needs, tenantId, signal)
  }
}

async function deleteRange(
  { store }: Needs,
  tenantId: TenantId,
  range: IssuanceRange,
  before: Date,
  signal: AbortSignal,
): Promise<void> {
  let from: string | null = range.from
  while (from !== null && !signal.aborted) {
    const part: IssuanceRange = { ...range, from }
    // The last one is looked at again if it stays.
    from = await store.inTenant(tenantId, (tx) => deleteEndedPart(tx, part, before, ROWS_EACH))
  }
}

async function deleteEndedLists({ store }: Needs, tenantId: TenantId, signal: AbortSignal): Promise<void> {
  for (const listId of await store.single(tenantId, (tx) => listEndedLists(tx, LISTS_EACH))) {
    for (const first of listPieces) {
      if (signal.aborted) return
      await store.inTenant(tenantId, (tx) => deleteListPiece(tx, listId, first))
    }
  }
}

/** Returns which issuances of each template may have ended before a time: those that were created early enough. */
export function endedRanges(versions: readonly EndingVersion[], before: Date): IssuanceRange[] {
  const byTemplate = Map.groupBy(versions, ({ templateId }) => templateId)
  return [...byTemplate].flatMap(([templateId, some]) => {
    const first = Math.min(...some.map(({ createdAt }) => createdAt.getTime())) - SKEW_MS
    const last = Math.max(...some.map(({ validUntil }) => latestCreation(validUntil, before)))
    return last <= first ? [] : [{ templateId, from: lowestIdAt(new Date(first)), below: lowestIdAt(new Date(last)) }]
  })
}

/**
 * Returns the latest time, or one shortly after it, at which a credential was created that ended before `before`; 0:
 * none has.
 */
function latestCreation(validUntil: ValidityMoment, before: Date): number {
  if (typeof validUntil === 'string') return Date.parse(validUntil) < before.getTime() ? before.getTime() : 0
  const { days = 0, months = 0, years = 0 } = validUntil.future
  // The shortest that these can be. Times of credentials are rounded down to the hour.
  return before.getTime() - (days + 28 * months + 365 * years) * DAY_MS + SKEW_MS
}
