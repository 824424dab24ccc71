import type { TenantId } from '../../caller.ts'
import type { JournalLine, Platform } from '../../platform.ts'
import { issuanceIdOf } from '../issuances/credential-id.ts'
import { listStanding } from './restore-status-store.ts'

/**
 * Writes the standing of credentials to the journal, as the database has it now: also of those that a request left
 * unchanged, because the request that changed them may have died before it wrote.
 */
export async function journalStatus(
  { store, journal }: Pick<Platform, 'store' | 'journal'>,
  tenantId: TenantId,
  credentialIds: readonly string[],
): Promise<void> {
  if (!journal.isKept) return
  const rows = await store.single(tenantId, (tx) => listStanding(tx, credentialIds.map(issuanceIdOf)))
  await journal.append(
    rows.map(({ updatedAt, ...standing }): JournalLine => {
      return { kind: 'status', at: updatedAt.toISOString(), tenantId, ...standing }
    }),
  )
}
