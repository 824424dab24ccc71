import { type AcrossTx, sql, type TenantTx } from '../../../store/store.ts'

const insert = sql(
  'authorization.insert_pushed_request',
  'insert into pushed_request (tenant_id, id, hash, client_id, sealed_parameters, expires_at, issuer, instance_jkt) values ($1, $2, $3, $4, $5, $6, $7, $8)',
)
// Only the first opening writes.
const open = sql(
  'authorization.open_pushed_request',
  `with found as (
     select sealed_parameters as "sealedParameters", instance_jkt as "instanceKey", opened_at from pushed_request
     where tenant_id = $1 and id = $2 and hash = $3 and client_id = $4 and expires_at > $5 and issuer = $7
   ), opened as (
     update pushed_request set opened_at = $5, expires_at = $6
     where tenant_id = $1 and id = $2 and opened_at is null and exists (select from found where opened_at is null)
   )
   select "sealedParameters", "instanceKey" from found`,
)
const spend = sql(
  'authorization.spend_pushed_request',
  'delete from pushed_request where tenant_id = $1 and id = $2 and hash = $3 returning id',
)
const deleteExpired = sql(
  'authorization.delete_pushed_requests',
  `delete from pushed_request where (tenant_id, id) in (select tenant_id, id from pushed_request where expires_at < $1 limit $2) returning id`,
)

/** Id and digest of a `request_uri`. */
export type PushedKey = { readonly id: string; readonly hash: Buffer }

/** The client, and the authorization server that it pushed a request to. */
type PushedOwner = { readonly clientId: string; readonly issuer: string }

/** What was pushed. */
type StoredRequest = {
  readonly sealedParameters: Buffer
  /** Thumbprint of the key of the client instance that pushed it; null: no client attestation named one. */
  readonly instanceKey: string | null
}

/** Inserts a pushed authorization request. */
export async function insertPushedRequest(
  tx: TenantTx,
  pushed: PushedKey & PushedOwner & StoredRequest & { readonly expiresAt: Date },
): Promise<void> {
  const { id, hash, clientId, issuer, sealedParameters, expiresAt, instanceKey } = pushed
  await tx.rows(insert, [tx.tenantId, id, hash, clientId, sealedParameters, expiresAt, issuer, instanceKey])
}

/**
 * Returns what was pushed; null if it is unknown, spent, expired, or of another client or
 * authorization server.
 *
 * @param openUntil Its new expiry, if this is the first time that it is opened.
 */
export async function openPushedRequest(
  tx: TenantTx,
  { id, hash, clientId, issuer }: PushedKey & PushedOwner,
  { now, openUntil }: { readonly now: Date; readonly openUntil: Date },
): Promise<StoredRequest | null> {
  const values = [tx.tenantId, id, hash, clientId, now, openUntil, issuer]
  return (await tx.rows<StoredRequest>(open, values))[0] ?? null
}

/** Deletes a pushed request. Returns false if there is none: of concurrent requests one gets true. */
export async function spendPushedRequest(tx: TenantTx, { id, hash }: PushedKey): Promise<boolean> {
  return (await tx.rows(spend, [tx.tenantId, id, hash])).length === 1
}

/** Deletes at most `limit` expired requests. Returns their number. */
export async function deletePushedRequests(tx: AcrossTx, now: Date, limit: number): Promise<number> {
  return (await tx.rows(deleteExpired, [now, limit])).length
}
