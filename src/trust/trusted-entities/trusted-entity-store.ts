import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { Fault } from '../../fault.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { TrustedEntity, TrustedEntityContent } from './trusted-entity.ts'

const columns = `id, name, dids, certificates, issuers, purposes, signer_usages as "signerUsages",
  created_at as "createdAt", updated_at as "updatedAt"`

const insertEntity = sql(
  'trust.insert_entity',
  `insert into trusted_entity (tenant_id, id, name, dids, certificates, issuers, purposes, created_at, updated_at,
     signer_usages)
   values (:tenantId, :id, :name, :dids::jsonb, :certificates::jsonb, :issuers::jsonb, :purposes::text[], :now, :now,
     :signerUsages::text[])
   returning ${columns}`,
)
const replaceEntity = sql(
  'trust.replace_entity',
  `update trusted_entity set name = :name, dids = :dids::jsonb, certificates = :certificates::jsonb,
     issuers = :issuers::jsonb, purposes = :purposes::text[],
     signer_usages = :signerUsages::text[],
     updated_at = greatest(:now, (updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC')
   where tenant_id = :tenantId and id = :id and (:from::timestamptz is null or updated_at = :from)
   returning ${columns}`,
)
const deleteEntity = sql(
  'trust.delete_entity',
  `delete from trusted_entity where tenant_id = $1 and id = $2 returning id`,
)
const findEntity = sql('trust.find_entity', `select ${columns} from trusted_entity where tenant_id = $1 and id = $2`)
const allEntities = sql('trust.list_entities', `select ${columns} from trusted_entity where tenant_id = $1 order by id`)
// Changes with every change, also when the clocks of two servers differ.
const stampOf = sql(
  'trust.find_entity_stamp',
  `select coalesce(md5(string_agg(id::text || extract(epoch from updated_at)::text, ' ' order by id)), '') as stamp
   from trusted_entity where tenant_id = $1`,
)
const existing = sql(
  'trust.find_existing_entities',
  'select id from trusted_entity where tenant_id = $1 and id = any($2::uuid[])',
)

const page = pagedList({
  name: 'trust.entities',
  select: `select ${columns} from trusted_entity where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  sorts: { name: 'name' },
  rows: 'trusted_entity where tenant_id = $1',
  filters: {
    did: (value) => `dids @> jsonb_build_array(jsonb_build_object('did', ${value}::text))`,
    ids: (value) => `id = any(${value}::uuid[])`,
    name: (value) => `strpos(lower(name), lower(${value})) > 0`,
  },
})

/** Inserts an entity and its audit entry. */
export async function insertTrustedEntity(
  tx: TenantTx,
  id: string,
  content: TrustedEntityContent,
  entry: AuditEntry,
  now: Date,
): Promise<TrustedEntity> {
  const [made] = await tx.rows<TrustedEntity>(insertEntity, contentValues(tx, id, content, now), [
    auditStep(tx, entry, now),
  ])
  return found(made)
}

/**
 * Replaces an entity entirely. `updatedAt` increases with every replacement, also with two in one millisecond.
 *
 * @param from `updatedAt` of the state to replace; null: every state.
 * @returns null if there is no such entity, or if it was changed since `from`
 */
export async function replaceTrustedEntity(
  tx: TenantTx,
  id: string,
  content: TrustedEntityContent,
  from: Date | null,
  entry: AuditEntry,
  now: Date,
): Promise<TrustedEntity | null> {
  return recordChange<TrustedEntity>(tx, replaceEntity, { ...contentValues(tx, id, content, now), from }, entry, now)
}

/** Deletes an entity. @throws Fault `resource.unknown` */
export async function deleteTrustedEntity(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<void> {
  found(await recordChange(tx, deleteEntity, [tx.tenantId, id], entry, now))
}

/** @throws Fault `resource.unknown` */
export async function getTrustedEntityRow(tx: TenantTx, id: string): Promise<TrustedEntity> {
  return found((await tx.rows<TrustedEntity>(findEntity, [tx.tenantId, id]))[0])
}

/** Returns all trusted entities of the tenant. */
export async function allTrustedEntities(tx: TenantTx): Promise<TrustedEntity[]> {
  return tx.rows<TrustedEntity>(allEntities, [tx.tenantId])
}

/** Returns a text that changes whenever {@link allTrustedEntities} does. */
export async function trustStamp(tx: TenantTx): Promise<string> {
  const [row] = await tx.rows<{ stamp: string }>(stampOf, [tx.tenantId])
  return row?.stamp ?? ''
}

/** Returns those of the ids (UUIDs) that are entities of the tenant. */
export async function existingTrustedEntities(tx: TenantTx, ids: readonly string[]): Promise<string[]> {
  return (await tx.rows<{ id: string }>(existing, [tx.tenantId, ids])).map(({ id }) => id)
}

/** Returns one page, and one row more if there is a next page. */
export async function listTrustedEntityRows(
  tx: TenantTx,
  request: PageRequest,
  filter: {
    readonly did?: string | undefined
    readonly name?: string | undefined
    readonly ids?: readonly string[] | undefined
  },
): Promise<TrustedEntity[]> {
  return page<TrustedEntity>(tx, request, [tx.tenantId], filter)
}

function contentValues(tx: TenantTx, id: string, content: TrustedEntityContent, now: Date) {
  return {
    tenantId: tx.tenantId,
    id,
    name: content.name,
    dids: JSON.stringify(content.dids),
    certificates: JSON.stringify(content.certificates),
    issuers: JSON.stringify(content.issuers),
    purposes: content.purposes,
    signerUsages: content.signerUsages,
    now,
  }
}

function found<T>(row: T | null | undefined): T {
  if (row === null || row === undefined) throw new Fault('resource.unknown')
  return row
}
