import { crlLimits } from '../../crypto/x509/crl.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { type Sql, sql, type TenantTx } from '../../store/store.ts'
import { countBelow, insertCertificate, type NewCertificate, signerIn, valuesOf } from './certificate-columns.ts'

/** Delay before the key of a revoked leaf is destroyed: other processes use the key for up to a minute. */
const REVOKED_KEY_RETENTION_MS = 3_600_000

/**
 * Delay before the key of a replaced leaf is destroyed: it still signs presentation requests created with it, valid for
 * at most a day.
 */
const REPLACED_KEY_RETENTION = `interval '25 hours'`

/** A revoked root revokes everything below it, whatever the row below says. */
const rootIsRevoked = (table: string) =>
  `exists (select from certificate p where p.tenant_id = ${table}.tenant_id and p.id = ${table}.parent_id and p.status = 'revoked')`
/**
 * Deactivates the signer of the kind and key type if it has expired or its root is revoked. Counted by later CTEs, so
 * executed before them.
 */
const ended = `ended as (
  update certificate old set status = 'inactive', updated_at = $2 from jsonb_populate_record(null::certificate, $3::jsonb) as r
  where old.tenant_id = $1 and old.kind = r.kind and old.key_type = r.key_type and ${signerIn('old')}
    and (old.not_after <= $2 or ${rootIsRevoked('old')}) returning old.id
)`
/**
 * The first of its kind and key type becomes active, the next is pending; of two concurrent ones the unique index
 * admits one.
 */
const firstOrNext = (from: string) => `${ended}, taken as (
  ${insertCertificate(`'active'`, `${from} where (select count(*) from ended) >= 0`)}
  on conflict (tenant_id, kind, key_type) where status = 'active' and origin in ('root', 'request') do nothing returning id, status
), waiting as (
  ${insertCertificate(`'pendingActivation'`, `${from} where not exists (select from taken)`)} returning id, status
), ins as (select * from taken union all select * from waiting)`

const insertRoot = sql(
  'trust.insert_root',
  `with ${firstOrNext('')}, list as (
     insert into certificate_revocation_list (tenant_id, certificate_id, reissue_at) select $1, id, $2 from ins returning certificate_id
   )
   select status from ins`,
)
const completeRequest = (from: string) => `request as (
  update certificate_signing_request q set status = 'completed', certificate_id = r.id, updated_at = $2
  from jsonb_populate_record(null::certificate, $3::jsonb) as r${from}
  where q.tenant_id = $1 and q.id = $4 and q.status = 'open' and q.expires_at > $2 returning q.id
)`
const insertImported = sql(
  'trust.insert_imported',
  `with ${completeRequest('')}, ${firstOrNext(', request')}
   select status from ins`,
)
/**
 * Locks the root while a certificate below it is inserted, so that it is not revoked concurrently. Concurrent calls can
 * exceed the maximum by a few certificates, for which a list has room.
 */
const usableRoot = (condition: string) => `root as (
  select id from (
    select id from certificate where tenant_id = $1 and id = (($3::jsonb) ->> 'parent_id')::uuid and origin = 'root' and not_after > $2
      and ${condition} and ${countBelow('$1', 'certificate.id')} < ${crlLimits.entries} for share) as locked
)`
const insertSigned = sql(
  'trust.insert_signed',
  `with ${usableRoot(`status <> 'revoked'`)}, ${completeRequest(', root')}, ${firstOrNext(', request')}
   select status from ins`,
)
const insertForeign = sql(
  'trust.insert_foreign',
  `with ${usableRoot(`status <> 'revoked'`)}, ins as (
     ${insertCertificate(`'inactive'`, ', root')}
     on conflict (tenant_id, parent_id, subject_key_id) where parent_id is not null do nothing returning id, status
   )
   select status from ins`,
)
const insertLeaf = sql(
  'trust.insert_leaf',
  `with ${usableRoot(`status in ('active', 'inactive')`)}, old as (
     update certificate c set status = 'inactive', destroy_key_at = $2::timestamptz + ${REPLACED_KEY_RETENTION}, updated_at = $2 from root
     where c.tenant_id = $1 and c.parent_id = root.id and c.origin = 'automatic' and c.status = 'active'
       and (c.renew_at <= $2 or position(convert_to($4::text, 'UTF8') in c.der) = 0) returning c.id
   ), ins as (
     ${insertCertificate(`'active'`, `, root where (select count(*) from old) >= 0`)}
     on conflict (tenant_id, parent_id) where status = 'active' and origin = 'automatic' do nothing returning id, status
   )
   select status from ins`,
)

const activateStatement = sql(
  'trust.activate_certificate',
  `with target as (
     select id, kind, key_type from (
       select id, kind, key_type from certificate where tenant_id = $1 and id = $3 and origin in ('root', 'request')
         and status in ('pendingActivation', 'inactive') and not_after > $2 and not ${rootIsRevoked('certificate')} for update) as locked
   ), old as (
     update certificate c set status = 'inactive', updated_at = $2 from target
     where c.tenant_id = $1 and c.kind = target.kind and c.key_type = target.key_type and ${signerIn('c')} returning c.id
   ), upd as (
     update certificate c set status = 'active', updated_at = $2 from target
     where c.tenant_id = $1 and c.id = target.id and (select count(*) from old) >= 0 returning c.id
   )
   select id from upd`,
)
const deactivateStatement = sql(
  'trust.deactivate_certificate',
  `update certificate set status = 'inactive', updated_at = $2
   where tenant_id = $1 and id = $3 and ${signerIn('certificate')} and not_after > $2
   returning id`,
)
const revokeStatement = sql(
  'trust.revoke_certificate',
  `with upd as (
     update certificate set status = 'revoked', revoked_at = $2, updated_at = $2,
       destroy_key_at = case when origin = 'root' or destroy_key_at is null then destroy_key_at else $4::timestamptz end
     where tenant_id = $1 and id = $3 and status <> 'revoked' and not_after > $2 returning id, parent_id
   ), below as (
     update certificate c set status = 'revoked', revoked_at = $2, updated_at = $2,
       destroy_key_at = case when c.destroy_key_at is null then null else $4::timestamptz end
     from upd where c.tenant_id = $1 and c.parent_id = upd.id and c.status <> 'revoked'
   ), list as (
     update certificate_revocation_list l set revision = l.revision + 1, reissue_at = $2 from upd
     where l.tenant_id = $1 and l.certificate_id = coalesce(upd.parent_id, upd.id)
   )
   select id from upd`,
)

/** The initial status of a certificate: the first of its kind and key type is active. */
type FirstStatus = 'active' | 'pendingActivation'

/** Inserts a root and the row of its revocation list. */
export async function insertNewRoot(
  tx: TenantTx,
  root: NewCertificate,
  entry: AuditEntry,
  now: Date,
): Promise<FirstStatus> {
  const values = [tx.tenantId, now, valuesOf(root)]
  const row = await recordChange<{ status: FirstStatus }>(tx, insertRoot, values, entry, now)
  if (row === null) throw new Error('the root was not inserted')
  return row.status
}

/** The status of the inserted row; null if a condition of the statement was not met. */
type Inserted = FirstStatus | 'inactive' | null

/** Inserts an imported certificate and completes its request. Returns null if the request is not open. */
export async function insertForRequest(
  tx: TenantTx,
  certificate: NewCertificate,
  requestId: string,
  entry: AuditEntry,
  now: Date,
): Promise<Inserted> {
  const statement = certificate.parentId === null ? insertImported : insertSigned
  return inserted(tx, statement, [tx.tenantId, now, valuesOf(certificate), requestId], entry, now)
}

/**
 * Inserts a certificate for an external key. Returns null if the root is revoked or expired, or has signed the key
 * before.
 */
export async function insertForForeignKey(
  tx: TenantTx,
  certificate: NewCertificate,
  entry: AuditEntry,
  now: Date,
): Promise<Inserted> {
  return inserted(tx, insertForeign, [tx.tenantId, now, valuesOf(certificate)], entry, now)
}

/**
 * Inserts the leaf of a root and deactivates the one before, which is due for renewal or names another issuer address.
 * Returns null if the root is not usable, or has a leaf that is not due because another process inserted it.
 *
 * @param issuer Issuer address of the tenant.
 */
export async function insertNextLeaf(
  tx: TenantTx,
  leaf: NewCertificate,
  issuer: string,
  entry: AuditEntry,
  now: Date,
): Promise<Inserted> {
  return inserted(tx, insertLeaf, [tx.tenantId, now, valuesOf(leaf), issuer], entry, now)
}

/**
 * Activates a certificate for its kind and key type and deactivates the one before. Returns false if it is unknown,
 * cannot sign, or is active, expired or revoked. Throws the database's unique violation if another one was activated
 * concurrently.
 */
export async function setActive(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<boolean> {
  return (await recordChange(tx, activateStatement, [tx.tenantId, now, id], entry, now)) !== null
}

/** Deactivates a certificate. Returns false if it is not an active signer. */
export async function setInactive(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<boolean> {
  return (await recordChange(tx, deactivateStatement, [tx.tenantId, now, id], entry, now)) !== null
}

/** Revokes a certificate and makes a new revocation list due. Returns false if it is unknown, revoked or expired. */
export async function setRevoked(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<boolean> {
  const destroyKeyAt = new Date(now.getTime() + REVOKED_KEY_RETENTION_MS)
  return (await recordChange(tx, revokeStatement, [tx.tenantId, now, id, destroyKeyAt], entry, now)) !== null
}

async function inserted(
  tx: TenantTx,
  statement: Sql,
  values: readonly unknown[],
  entry: AuditEntry,
  now: Date,
): Promise<Inserted> {
  const row = await recordChange<{ status: FirstStatus | 'inactive' }>(tx, statement, values, entry, now)
  return row?.status ?? null
}
