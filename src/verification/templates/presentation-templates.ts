import type { Caller, TenantId } from '../../caller.ts'
import type { AuditAction } from '../../contract/events/vocabulary.ts'
import type { PresentationTemplateBody } from '../../contract/verification/presentation-templates.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { unknownTrustedEntities } from '../../trust/trusted-entities/trusted-entities.ts'
import { configViolations } from './config-violations.ts'
import type { PresentationTemplate, TemplateContent } from './presentation-template.ts'
import { readPresentationTemplate } from './read-template.ts'
import { redirectPolicyOf } from './redirect-uris.ts'
import {
  archiveTemplateRow,
  getPresentationTemplate,
  insertTemplateRow,
  replaceTemplateRow,
  unknownPresentationTemplate,
} from './template-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'config' | 'memory'>

/** Creates a presentation template. @throws Fault `request.invalid` */
export async function createPresentationTemplate(
  needs: Needs,
  caller: Caller,
  body: PresentationTemplateBody,
  id = newId(),
): Promise<PresentationTemplate> {
  const { store, clock } = needs
  const content = await contentOf(needs, caller.tenantId, body)
  const entry = entryOf('presentation_template.created', id, caller)
  return store.single(caller.tenantId, (tx) => insertTemplateRow(tx, id, content, entry, clock.now()))
}

/**
 * Replaces a presentation template. Existing requests keep their copy of it.
 *
 * @param isExpected Whether the caller knows this state; every state by default.
 * @throws Fault `request.invalid`, `resource.unknown`, also if it is archived; `resource.changed` if it is not the
 *   expected one
 */
export async function replacePresentationTemplate(
  needs: Needs,
  caller: Caller,
  id: string,
  body: PresentationTemplateBody,
  isExpected?: (current: PresentationTemplate) => boolean,
): Promise<PresentationTemplate> {
  const { store, clock } = needs
  const current =
    isExpected === undefined ? null : await store.single(caller.tenantId, (tx) => getPresentationTemplate(tx, id))
  if (current !== null && isExpected?.(current) === false) throw new Fault('resource.changed')
  const content = await contentOf(needs, caller.tenantId, body)
  const entry = entryOf('presentation_template.replaced', id, caller)
  const [from, now] = [current?.updatedAt ?? null, clock.now()]
  const written = await store.inTenant(caller.tenantId, (tx) => replaceTemplateRow(tx, id, content, from, entry, now))
  if (written !== null) return written
  throw current === null ? unknownPresentationTemplate() : new Fault('resource.changed')
}

/** Archives a presentation template: no more requests are created from it. @throws Fault `resource.unknown` */
export async function archivePresentationTemplate(
  { store, clock }: Needs,
  caller: Caller,
  id: string,
): Promise<PresentationTemplate> {
  const entry = entryOf('presentation_template.archived', id, caller)
  return store.inTenant(caller.tenantId, (tx) => archiveTemplateRow(tx, id, entry, clock.now()))
}

async function contentOf(needs: Needs, tenantId: TenantId, body: PresentationTemplateBody): Promise<TemplateContent> {
  const named = body.credentials.flatMap(({ trustedIssuers = [] }) => trustedIssuers)
  const redirects = await redirectPolicyOf(needs, tenantId)
  const { presenting } = await findPolicyOf(needs, tenantId)
  const violations = configViolations(presenting, body.verifierConfig ?? null, '/verifierConfig')
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  return readPresentationTemplate(body, redirects, await unknownTrustedEntities(needs, tenantId, named))
}

function entryOf(action: AuditAction, id: string, by: Caller): AuditEntry {
  return { action, subject: { kind: 'presentation_template', id }, by }
}
