import type { Caller } from '../../caller.ts'
import type { AuditAction } from '../../contract/events/vocabulary.ts'
import type { TemplateBody } from '../../contract/issuance/credential-templates.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault, type Violation } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { checkSource } from './attribute-source.ts'
import { catalogChanged } from './catalog-lease.ts'
import { type ReadTemplate, readCredentialTemplate } from './read-template.ts'
import { signerViolations } from './signer-violations.ts'
import type { CredentialTemplate, TemplateDefinition } from './template.ts'
import { cacheTemplate, latestTemplate } from './template-cache.ts'
import { insertFirst, insertNext, setArchived, setRestored } from './template-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls'>

/**
 * Creates a credential template, which also publishes its type.
 *
 * @throws Fault `request.invalid`, `reference.unknown`, `state.conflict` if another template has the code
 */
export async function createCredentialTemplate(
  needs: Needs,
  caller: Caller,
  body: TemplateBody,
  id = newId(),
): Promise<CredentialTemplate> {
  const now = needs.clock.now()
  const read = readCredentialTemplate(body, needs.urls.issuer(caller.tenantSlug), now)
  await checkSigner(needs, caller, read)
  await checkSource(needs, caller, read.definition)
  const template = { ...read, id, version: 1, createdAt: now, updatedAt: now, archivedAt: null }
  const entry = entryOf('credential_template.created', id, caller)
  const inserted = await needs.store.inTenant(caller.tenantId, (tx) => insertFirst(tx, template, entry))
  if (!inserted) {
    const detail = 'Another credential template has this code.'
    const violations = [{ detail, pointer: '/code', rule: 'unique' }] as const
    throw new Fault('state.conflict', { violations })
  }
  cacheTemplate(needs, caller.tenantId, template)
  await catalogChanged(needs, caller.tenantId)
  return template
}

/** [HAIP-31] @throws Fault `request.invalid` */
async function checkSigner(needs: Needs, { tenantId }: Caller, { definition }: ReadTemplate): Promise<void> {
  const { issuing } = await findPolicyOf(needs, tenantId)
  const violations = signerViolations(issuing, definition)
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
}

/**
 * Replaces a credential template by a new version. Existing issuances keep the version they were created from.
 *
 * @throws Fault `resource.unknown`, also if it is archived; `request.invalid`; `reference.unknown`; `state.conflict` if
 *   `code`, `format`, `docType` or `revocable` would change, or after a concurrent replacement; `resource.changed` if
 *   it is not the expected one.
 *
 * @param isExpected Whether the caller knows this state; every state by default.
 */
export async function replaceCredentialTemplate(
  needs: Needs,
  caller: Caller,
  id: string,
  body: TemplateBody,
  isExpected?: (current: CredentialTemplate) => boolean,
): Promise<CredentialTemplate> {
  const current = await latestTemplate(needs, caller.tenantId, id)
  if (current.archivedAt !== null) throw new Fault('resource.unknown')
  if (isExpected?.(current) === false) throw new Fault('resource.changed')
  const read = readCredentialTemplate(body, needs.urls.issuer(caller.tenantSlug), needs.clock.now())
  await checkSigner(needs, caller, read)
  await checkSource(needs, caller, read.definition)
  const violations = changesOfFixed(current, read)
  if (violations.length > 0) throw new Fault('state.conflict', { violations })
  const next = { ...current, ...read, updatedAt: needs.clock.now() }
  const entry = entryOf('credential_template.replaced', id, caller)
  const written = await needs.store.inTenant(caller.tenantId, (tx) => insertNext(tx, next, entry))
  if (written === null && isExpected !== undefined) throw new Fault('resource.changed')
  if (written === null)
    throw new Fault('state.conflict', { detail: 'The template was changed concurrently; read it and try again.' })
  cacheTemplate(needs, caller.tenantId, written)
  await catalogChanged(needs, caller.tenantId)
  return written
}

/**
 * Archives a credential template: nothing is issued from it any more. Open offers can still be redeemed, and its type
 * stays published.
 *
 * @throws Fault `resource.unknown`, also if it is already archived
 */
export async function archiveCredentialTemplate(needs: Needs, caller: Caller, id: string): Promise<CredentialTemplate> {
  const entry = entryOf('credential_template.archived', id, caller)
  const done = await needs.store.inTenant(caller.tenantId, (tx) => setArchived(tx, id, entry, needs.clock.now()))
  if (!done) throw new Fault('resource.unknown')
  await catalogChanged(needs, caller.tenantId)
  return latestTemplate(needs, caller.tenantId, id)
}

/**
 * Makes an archived credential template active again.
 *
 * @throws Fault `resource.unknown`, also if it is not archived
 */
export async function restoreCredentialTemplate(needs: Needs, caller: Caller, id: string): Promise<CredentialTemplate> {
  const entry = entryOf('credential_template.restored', id, caller)
  const done = await needs.store.inTenant(caller.tenantId, (tx) => setRestored(tx, id, entry, needs.clock.now()))
  if (!done) throw new Fault('resource.unknown')
  await catalogChanged(needs, caller.tenantId)
  return latestTemplate(needs, caller.tenantId, id)
}

function entryOf(action: AuditAction, id: string, by: Caller): AuditEntry {
  return { action, subject: { kind: 'credential_template', id }, by }
}

function changesOfFixed(current: CredentialTemplate, { code, definition }: ReadTemplate): Violation[] {
  const violations: Violation[] = []
  if (code !== current.code) violations.push({ detail: 'code cannot be changed.', pointer: '/code' })
  if (definition.revocable !== current.definition.revocable) {
    violations.push({ detail: 'revocable cannot be changed.', pointer: '/revocable' })
  }
  // Wallets read the format and type of an open offer from the metadata, which shows the newest version.
  if (definition.format !== current.definition.format) {
    violations.push({ detail: 'format cannot be changed.', pointer: '/format' })
  } else if (docTypeOf(definition) !== docTypeOf(current.definition)) {
    violations.push({ detail: 'docType cannot be changed.', pointer: '/docType' })
  }
  return violations
}

function docTypeOf(definition: TemplateDefinition): string | null {
  return definition.format === 'mdoc' ? definition.docType : null
}
