import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { sql, type TenantTx } from '../../store/store.ts'

// At most two secrets are valid: one that was ending already ends now.
const end = sql(
  'directory.end_client_secrets',
  `update client_secret set ends_at = case when ends_at is null then $3::timestamptz else least(ends_at, $4) end
   where tenant_id = $1 and client_id = $2`,
)
const sweep = sql(
  'directory.delete_ended_client_secrets',
  'delete from client_secret where tenant_id = $1 and client_id = $2 and is_made and ends_at <= $3',
)
/** SQL: inserts a secret, of the server (`:isMade`) or of the bootstrap file. */
export const insertSecretSql = `insert into client_secret (tenant_id, id, client_id, hash, is_made, created_at)
   values (:tenantId, :id, :clientId, :hash, :isMade, :now)`
const insert = sql('directory.insert_client_secret', insertSecretSql)
const endOne = sql(
  'directory.end_client_secret',
  `update client_secret set ends_at = $4
   where tenant_id = $1 and client_id = $2 and id = $3 and (ends_at is null or ends_at > $4)
   returning id`,
)

/** A secret to insert. */
type NewClientSecret = { readonly id: string; readonly clientId: string; readonly hash: string }

/** Adds a secret; the former one ends at `formerEndsAt`, an earlier one now. The caller has locked the client. */
export async function addClientSecret(
  tx: TenantTx,
  { id, clientId, hash }: NewClientSecret,
  formerEndsAt: Date,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  await tx.rows(end, [tx.tenantId, clientId, formerEndsAt, now])
  await tx.rows(sweep, [tx.tenantId, clientId, now])
  const values = { tenantId: tx.tenantId, id, clientId, hash, isMade: true, now }
  await tx.rows(insert, values, [auditStep(tx, entry, now)])
}

/** Ends a secret now. Returns whether it was valid. The id must be a UUID. */
export async function endClientSecret(
  tx: TenantTx,
  clientId: string,
  id: string,
  entry: AuditEntry,
  now: Date,
): Promise<boolean> {
  const ended = await recordChange(tx, endOne, [tx.tenantId, clientId, id, now], entry, now)
  await tx.rows(sweep, [tx.tenantId, clientId, now])
  return ended !== null
}

// The former secret of a client ends soon after a rotation, which is no reason to act.
const countEnding = sql(
  'directory.count_ending_secrets',
  `select (
     (select count(*) from client_token where tenant_id = $1 and expires_at > $2 and expires_at <= $3)
     + (select count(distinct s.client_id) from client_secret s where s.tenant_id = $1 and s.ends_at > $2 and s.ends_at <= $3 and not exists (
          select from client_secret o where o.tenant_id = $1 and o.client_id = s.client_id and (o.ends_at is null or o.ends_at > $3))))::int as count`,
)

/** Counts the SCIM tokens that end until a time, and the clients whose every secret does. */
export async function countEndingSecrets(tx: TenantTx, now: Date, until: Date): Promise<number> {
  return (await tx.rows<{ count: number }>(countEnding, [tx.tenantId, now, until]))[0]?.count ?? 0
}
