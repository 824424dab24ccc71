import { deleteOldest } from '../../store/in-pieces.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

const insert = sql(
  'pages.insert_kept_path',
  'insert into kept_path (tenant_id, id, token_hash, sealed_path, expires_at) values ($1, $2, $3, $4, $5)',
)
const find = sql(
  'pages.find_kept_path',
  `select sealed_path as "sealedPath" from kept_path where tenant_id = $1 and id = $2 and token_hash = $3 and expires_at > $4`,
)
const removeExpired = sql('pages.delete_kept_paths', deleteOldest('kept_path'))

/** The id of a row, and the digest of the secret that opens it. */
type Key = { readonly id: string; readonly hash: Buffer }

/** Inserts a path. */
export async function insertKeptPath(
  tx: TenantTx,
  { id, hash, sealedPath, expiresAt }: Key & { readonly sealedPath: Buffer; readonly expiresAt: Date },
): Promise<void> {
  await tx.rows(insert, [tx.tenantId, id, hash, sealedPath, expiresAt])
}

/** Returns a sealed path; null if it is unknown or has expired. */
export async function findKeptPath(tx: TenantTx, { id, hash }: Key, now: Date): Promise<Buffer | null> {
  const [found] = await tx.rows<{ sealedPath: Buffer }>(find, [tx.tenantId, id, hash, now])
  return found?.sealedPath ?? null
}

/** Deletes about `limit` expired paths. Returns their number. */
export async function deleteKeptPaths(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(removeExpired, [now, limit])).length
}
