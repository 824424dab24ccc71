import type { TenantId } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import type { PageContent, VerificationPage } from './verification-page.ts'

const PAGES_MAX = 200

const template = (expression: string, tenant: string) =>
  `(select ${expression} from presentation_template t where t.tenant_id = ${tenant} and t.id = template_id)`
/** @param tenant SQL: the tenant of the page */
const columns = (tenant: string) => `id, name, template_id as "presentationTemplateId",
  ${template('t.name', tenant)} as "templateName",
  ${template('t.archived_at is not null', tenant)} as "isTemplateArchived", origins, heading, explanation,
  visitor_sees as "visitorSees",
  redirect_uri as "redirectUri", another_device as "anotherDevice", requests_per_minute as "requestsPerMinute", requests_per_address as "requestsPerAddress",
  expires_in_seconds as "expiresInSeconds", is_open as "isOpen", created_at as "createdAt", updated_at as "updatedAt"`
const usable = `exists (
  select from presentation_template t
  where t.tenant_id = :tenantId and t.id = :templateId and t.archived_at is null)`

const insertPage = sql(
  'verification.insert_page',
  `insert into verification_page (tenant_id, id, name, template_id, origins, heading, explanation, visitor_sees,
     redirect_uri, requests_per_minute, requests_per_address, expires_in_seconds, is_open, another_device, created_at,
     updated_at)
   select :tenantId, :id, :name, :templateId, :origins::text[], :heading, :explanation, :visitorSees, :redirectUri,
     :requestsPerMinute, :requestsPerAddress, :expiresInSeconds, :isOpen, :anotherDevice, :now, :now
   where ${usable} and (select count(*) from verification_page where tenant_id = :tenantId) < ${PAGES_MAX}
   returning id`,
)
// The time of a change is later than that of the one before, also within a millisecond and on another server's clock.
const updatePage = sql(
  'verification.update_page',
  `update verification_page set name = :name, template_id = :templateId, origins = :origins::text[],
     heading = :heading, explanation = :explanation, visitor_sees = :visitorSees, redirect_uri = :redirectUri,
     requests_per_minute = :requestsPerMinute, requests_per_address = :requestsPerAddress,
     expires_in_seconds = :expiresInSeconds, is_open = :isOpen, another_device = :anotherDevice,
     updated_at = greatest(:now, (updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC')
   where tenant_id = :tenantId and id = :id and updated_at = :from and (template_id = :templateId or ${usable})
   returning id`,
)
const deletePage = sql(
  'verification.delete_page',
  `delete from verification_page where tenant_id = $1 and id = $2 returning id`,
)
const findPage = sql(
  'verification.find_page',
  `select ${columns(':tenantId')} from verification_page where tenant_id = :tenantId and id = :id`,
)
const findTenant = sql(
  'verification.find_page_tenant',
  'select tenant_id as "tenantId" from verification_page where id = $1',
)

const page = pagedList({
  name: 'verification.pages',
  select: `select ${columns('$1')} from verification_page where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  sorts: { name: 'name' },
  rows: 'verification_page where tenant_id = $1',
  filters: { name: (value) => `strpos(lower(name), lower(${value})) > 0` },
})

/**
 * Inserts a page and its audit entry.
 *
 * @returns null if the template does not exist or is archived, or the tenant has 200 pages
 */
export async function insertVerificationPage(
  tx: TenantTx,
  id: string,
  content: PageContent,
  entry: AuditEntry,
  now: Date,
): Promise<VerificationPage | null> {
  const inserted = await recordChange(tx, insertPage, contentValues(tx, id, content, now), entry, now)
  return inserted === null ? null : findVerificationPage(tx, id)
}

/**
 * Changes a page, with its audit entry.
 *
 * @param from When it was last changed.
 * @returns null if it was changed since, does not exist, or gets a template that does not exist or is archived
 */
export async function updateVerificationPage(
  tx: TenantTx,
  id: string,
  content: PageContent,
  from: Date,
  entry: AuditEntry,
  now: Date,
): Promise<VerificationPage | null> {
  const values = { ...contentValues(tx, id, content, now), from }
  const updated = await recordChange(tx, updatePage, values, entry, now)
  return updated === null ? null : findVerificationPage(tx, id)
}

/** Deletes a page, with its audit entry. @returns whether there was one */
export async function deleteVerificationPage(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<boolean> {
  return (await recordChange(tx, deletePage, [tx.tenantId, id], entry, now)) !== null
}

/** Returns a page; null if there is none. */
export async function findVerificationPage(tx: TenantTx, id: string): Promise<VerificationPage | null> {
  return (await tx.rows<VerificationPage>(findPage, { tenantId: tx.tenantId, id }))[0] ?? null
}

/** Returns the tenant of the page that a path names; null if there is none. */
export async function findTenantOfPage(tx: AcrossTx, id: string): Promise<TenantId | null> {
  return (await tx.rows<{ tenantId: TenantId }>(findTenant, [id]))[0]?.tenantId ?? null
}

/**
 * Returns a page of the list, and one row more if there is a next page. `name`: a part of the name, case-insensitive.
 */
export async function listVerificationPages(
  tx: TenantTx,
  list: PageRequest,
  filter: { readonly name?: string | undefined },
): Promise<VerificationPage[]> {
  return page<VerificationPage>(tx, list, [tx.tenantId], filter)
}

function contentValues(tx: TenantTx, id: string, content: PageContent, now: Date) {
  return {
    tenantId: tx.tenantId,
    id,
    name: content.name,
    templateId: content.presentationTemplateId,
    origins: content.origins,
    heading: content.heading,
    explanation: content.explanation,
    visitorSees: content.visitorSees,
    redirectUri: content.redirectUri,
    requestsPerMinute: content.requestsPerMinute,
    requestsPerAddress: content.requestsPerAddress,
    expiresInSeconds: content.expiresInSeconds,
    isOpen: content.isOpen,
    anotherDevice: content.anotherDevice,
    now,
  }
}
