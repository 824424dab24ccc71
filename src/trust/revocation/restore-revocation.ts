import type { JsonObject } from '../../crypto/json.ts'
import type { JournalReplay, Restore } from '../../recovery/restore.ts'
import { type Sql, sql, type TenantTx } from '../../store/store.ts'
import { isWrittenUuid } from '../../uuid.ts'

/** Far beyond every number that was published and lost. */
const NUMBERS_AHEAD = 1_000_000

// A new revision has no list yet, so the next fetch signs one, with the new number.
const moveNumbers = sql(
  'trust.move_list_numbers',
  `update certificate_revocation_list set number = number + ${NUMBERS_AHEAD}, revision = revision + 1, reissue_at = $2
   where tenant_id = $1 returning certificate_id`,
)
const revokeAgain = sql(
  'trust.revoke_again',
  `with upd as (
     update certificate c set status = 'revoked', revoked_at = lost.at, updated_at = lost.at
     from unnest($2::uuid[], $3::timestamptz[]) as lost (id, at)
     where c.tenant_id = $1 and (c.id = lost.id or c.parent_id = lost.id) and c.status <> 'revoked' returning c.id
   )
   select id from certificate where tenant_id = $1 and id = any($2::uuid[])`,
)

/** Revokes the certificates again that were revoked in the lost time, and what a revoked root signed. */
const replay: JournalReplay['replay'] = async ({ store }, tenantId, lines) => {
  const read = lines.flatMap((line) => certificateIn(line) ?? [])
  const known = await store.single(tenantId, (tx) => rowsOf(tx, revokeAgain, read))
  const missing = read.filter(({ id }) => !known.has(id))
  return {
    applied: known.size,
    problems: missing.map(({ id, at }) => `certificate ${id} was revoked at ${at} and is not in the restored state`),
  }
}

/** What the folder does after a restore: revocation lists get numbers that no lost list had. */
export const revocationRestore: Restore = {
  steps: [
    {
      name: 'revocation lists renumbered',
      run: async (tx, { now }) => (await tx.rows(moveNumbers, [tx.tenantId, now])).length,
    },
  ],
  replays: [{ kind: 'certificate', replay }],
}

type RevokedCertificate = { readonly id: string; readonly at: string }

async function rowsOf(tx: TenantTx, statement: Sql, some: readonly RevokedCertificate[]): Promise<Set<string>> {
  const values = [tx.tenantId, some.map(({ id }) => id), some.map(({ at }) => at)]
  return new Set((await tx.rows<{ id: string }>(statement, values)).map(({ id }) => id))
}

function certificateIn({ certificateId: id, at }: JsonObject): RevokedCertificate | null {
  return isWrittenUuid(id) && typeof at === 'string' ? { id, at } : null
}
