import type { TenantId } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditValues } from '../../events/audit/recorded-sql.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

/** Something of a tenant that a sweep is to look after. */
export type DueCertificate = { readonly tenantId: TenantId; readonly id: string }
/** As {@link DueCertificate}, with the private key whose time is over. */
export type DueKey = DueCertificate & { readonly keyId: string }

const DUE_MAX = 500

// A young leaf is let be: two servers that disagree about our address would else replace each other's leaf with every sweep.
const selectRootsWithoutLeaf = sql(
  'trust.upkeep.roots_without_leaf',
  `select c.tenant_id, c.id from certificate c
   where c.status = 'active' and c.origin = 'root' and c.not_after > $1 and not exists (
     select from certificate l where l.tenant_id = c.tenant_id and l.parent_id = c.id and l.origin = 'automatic' and l.status = 'active'
       and l.renew_at > $1
       and (l.created_at > $1::timestamptz - interval '1 hour' or position(convert_to($2::text, 'UTF8') in l.der) > 0))
   order by c.id limit ${DUE_MAX}`,
)
const selectEnding = sql(
  'trust.upkeep.ending',
  `select tenant_id, id from certificate
   where status = 'active' and origin in ('root', 'request') and not_after > $1 and not_after <= $1::timestamptz + $2 * interval '1 day'
     and coalesce(warned_days > $2, true)
   order by id limit ${DUE_MAX}`,
)
const warnStatement = sql(
  'trust.upkeep.warn',
  `with upd as (
     update certificate set warned_days = $3 where tenant_id = $1 and id = $2 and status = 'active' and coalesce(warned_days > $3, true)
     returning id
   ), ${auditCte({ from: 'upd', first: 4 })}
   select id from upd`,
)
const selectDueKeys = sql(
  'trust.upkeep.keys',
  `select tenant_id, id, key_id from certificate where destroy_key_at <= $1 and key_id is not null order by destroy_key_at limit ${DUE_MAX}`,
)
const clearDueKey = sql(
  'trust.upkeep.key_destroyed',
  'update certificate set destroy_key_at = null where tenant_id = $1 and id = $2',
)
const selectDueRequests = sql(
  'trust.upkeep.requests',
  `select tenant_id, id, key_id from certificate_signing_request
   where expires_at <= $1 and status <> 'completed' and key_id is not null order by expires_at limit ${DUE_MAX}`,
)
const expireStatement = sql(
  'trust.upkeep.expire_request',
  `with upd as (
     update certificate_signing_request set status = 'expired', updated_at = $3
     where tenant_id = $1 and id = $2 and status = 'open' and expires_at <= $3 returning id
   ), ${auditCte({ from: 'upd', first: 4 })}
   select id from upd`,
)
const clearRequestKey = sql(
  'trust.upkeep.request_key_destroyed',
  `update certificate_signing_request set key_id = null where tenant_id = $1 and id = $2 and status = 'expired'`,
)

type Row = { tenant_id: TenantId; id: string; key_id: string }

/**
 * Active roots that have no leaf, or one that is due for renewal, or one that was made when we had another address.
 *
 * @param issuers What the addresses of all tenants begin with.
 */
export async function listRootsWithoutLeaf(tx: AcrossTx, issuers: string, now: Date): Promise<DueCertificate[]> {
  return (await tx.rows<Row>(selectRootsWithoutLeaf, [now, issuers])).map(dueOf)
}

/** What ends within so many days and was not warned about yet. */
export async function listEnding(tx: AcrossTx, now: Date, days: number): Promise<DueCertificate[]> {
  return (await tx.rows<Row>(selectEnding, [now, days])).map(dueOf)
}

/** Records that a certificate ends within so many days, once. */
export async function recordExpiryWarning(
  tx: TenantTx,
  id: string,
  days: number,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  await tx.rows(warnStatement, [tx.tenantId, id, days, ...auditValues(entry, now)])
}

/** Keys of certificates that nothing is signed with any more. */
export async function listDueKeys(tx: AcrossTx, now: Date): Promise<DueKey[]> {
  return (await tx.rows<Row>(selectDueKeys, [now])).map((row) => ({ ...dueOf(row), keyId: row.key_id }))
}

/** Remembers that the key of a certificate is destroyed. */
export async function forgetKey(tx: TenantTx, id: string): Promise<void> {
  await tx.rows(clearDueKey, [tx.tenantId, id])
}

/** Requests whose time is over and whose key is still there. */
export async function listDueRequests(tx: AcrossTx, now: Date): Promise<DueKey[]> {
  return (await tx.rows<Row>(selectDueRequests, [now])).map((row) => ({ ...dueOf(row), keyId: row.key_id }))
}

/** Ends a request. From here on no certificate can be imported for it, so its key may go. */
export async function expireRequest(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<void> {
  await tx.rows(expireStatement, [tx.tenantId, id, now, ...auditValues(entry, now)])
}

/** Remembers that the key of a request that ran out is destroyed. */
export async function forgetRequestKey(tx: TenantTx, id: string): Promise<void> {
  await tx.rows(clearRequestKey, [tx.tenantId, id])
}

function dueOf({ tenant_id: tenantId, id }: Row): DueCertificate {
  return { tenantId, id }
}
