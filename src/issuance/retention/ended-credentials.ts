import type { TenantId } from '../../caller.ts'
import { allTenantIds } from '../../directory/tenants/find-tenant.ts'
import type { Platform } from '../../platform.ts'
import { deleteListPiece, listEndedLists, listPieces } from '../status/ended-list-store.ts'
import { deleteEndedSome } from './ended-credential-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'config'>

const DAY_MS = 86_400_000
/** Rows that one transaction deletes at most: some 50 ms. */
const ROWS_EACH = 1000
const LISTS_EACH = 100

/**
 * Deletes the issuances whose credential ended longer ago than CREDENTIAL_RETENTION_DAYS, in pieces, then the closed
 * status lists that have no other credentials. Credentials without an end stay, and so does the audit trail.
 */
export async function deleteEndedCredentials(needs: Needs, signal: AbortSignal): Promise<void> {
  const { store, clock, config } = needs
  const before = new Date(clock.now().getTime() - config.credentialRetentionDays * DAY_MS)
  for (const tenantId of await allTenantIds(needs)) {
    let deleted = ROWS_EACH
    while (deleted === ROWS_EACH && !signal.aborted)
      deleted = await store.inTenant(tenantId, (tx) => deleteEndedSome(tx, before, ROWS_EACH))
    if (signal.aborted) return
    await deleteEndedLists(needs, tenantId, signal)
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
