import { type AcrossTx, sql } from '../../store/store.ts'

const find = sql('directory.find_applied_bootstrap', 'select digest from applied_bootstrap')
const set = sql(
  'directory.set_applied_bootstrap',
  'insert into applied_bootstrap (id, digest) values (1, $1) on conflict (id) do update set digest = excluded.digest',
)

/** Returns the digest of the bootstrap file that was applied last; null: none was. */
export async function findAppliedDigest(tx: AcrossTx): Promise<string | null> {
  return (await tx.rows<{ digest: string | null }>(find))[0]?.digest ?? null
}

/** Records that a bootstrap file was applied; null: that one is being applied. */
export async function setAppliedDigest(tx: AcrossTx, digest: string | null): Promise<void> {
  await tx.rows(set, [digest])
}
