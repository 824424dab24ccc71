import type { TenantId } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

/** A row that is due for a sweep. */
export type DueCertificate = { readonly tenantId: TenantId; readonly id: string }
/** As {@link DueCertificate}, with the private key to destroy. */
type DueKey = DueCertificate & { readonly keyId: string }

const DUE_MAX = 500

// A leaf younger than an hour is left alone: two servers with different public URLs would otherwise replace each
// other's leaf at every sweep.
const selectRootsWithoutLeaf = sql(
  'trust.list_roots_without_leaf',
  `select c.tenant_id as "tenantId", c.id from certificate c
   where c.status = 'active' and c.origin = 'root' and c.not_after > $1 and not exists (
     select from certificate l where l.tenant_id = c.tenant_id and l.parent_id = c.id and l.origin = 'automatic' and l.status = 'active'
       and l.renew_at > $1
       and (l.created_at > $1::timestamptz - interval '1 hour' or position(convert_to($2::text, 'UTF8') in l.der) > 0))
   order by c.id limit ${DUE_MAX}`,
)
const selectEnding = sql(
  'trust.list_ending_certificates',
  `select tenant_id as "tenantId", id from certificate
   where status = 'active' and origin in ('root', 'request') and not_after > $1 and not_after <= $1::timestamptz + $2 * interval '1 day'
     and coalesce(warned_days > $2, true)
   order by id limit ${DUE_MAX}`,
)
const warnStatement = sql(
  'trust.record_expiry_warning',
  `update certificate set warned_days = $3
   where tenant_id = $1 and id = $2 and status = 'active' and coalesce(warned_days > $3, true)
   returning id`,
)
const selectDueKeys = sql(
  'trust.list_due_keys',
  `select tenant_id as "tenantId", id, key_id as "keyId" from certificate
   where destroy_key_at <= $1 and key_id is not null order by destroy_key_at limit ${DUE_MAX}`,
)
const clearDueKey = sql(
  'trust.forget_key',
  'update certificate set destroy_key_at = null where tenant_id = $1 and id = $2',
)
const selectDueRequests = sql(
  'trust.list_due_requests',
  `select tenant_id as "tenantId", id, key_id as "keyId" from certificate_signing_request
   where expires_at <= $1 and status <> 'completed' and key_id is not null order by expires_at limit ${DUE_MAX}`,
)
const expireStatement = sql(
  'trust.expire_request',
  `update certificate_signing_request set status = 'expired', updated_at = $3
   where tenant_id = $1 and id = $2 and status = 'open' and expires_at <= $3
   returning id`,
)
const clearRequestKey = sql(
  'trust.forget_request_key',
  `update certificate_signing_request set key_id = null where tenant_id = $1 and id = $2 and status = 'expired'`,
)

/**
 * Returns active roots without a leaf, with one that is due for renewal, or with one that was made for another public
 * URL.
 *
 * @param issuers Prefix of the issuer addresses of all tenants.
 */
export async function listRootsWithoutLeaf(tx: AcrossTx, issuers: string, now: Date): Promise<DueCertificate[]> {
  return tx.rows(selectRootsWithoutLeaf, [now, issuers])
}

/** Returns active certificates that expire within `days` and for which that warning was not recorded yet. */
export async function listEnding(tx: AcrossTx, now: Date, days: number): Promise<DueCertificate[]> {
  return tx.rows(selectEnding, [now, days])
}

/** Records once that a certificate expires within `days`. */
export async function recordExpiryWarning(
  tx: TenantTx,
  id: string,
  days: number,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  await recordChange(tx, warnStatement, [tx.tenantId, id, days], entry, now)
}

/** Returns keys of certificates that are due for destruction. */
export async function listDueKeys(tx: AcrossTx, now: Date): Promise<DueKey[]> {
  return tx.rows(selectDueKeys, [now])
}

/** Records that the key of a certificate is destroyed. */
export async function forgetKey(tx: TenantTx, id: string): Promise<void> {
  await tx.rows(clearDueKey, [tx.tenantId, id])
}

/** Returns signing requests that have expired and whose key still exists. */
export async function listDueRequests(tx: AcrossTx, now: Date): Promise<DueKey[]> {
  return tx.rows(selectDueRequests, [now])
}

/** Expires a signing request. From then on no certificate can be imported for it, so its key may be destroyed. */
export async function expireRequest(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<void> {
  await recordChange(tx, expireStatement, [tx.tenantId, id, now], entry, now)
}

/** Records that the key of an expired signing request is destroyed. */
export async function forgetRequestKey(tx: TenantTx, id: string): Promise<void> {
  await tx.rows(clearRequestKey, [tx.tenantId, id])
}
