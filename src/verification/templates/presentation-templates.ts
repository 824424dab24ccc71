import type { Caller, TenantId } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import type { AuditAction } from '../../events/audit/vocabulary.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { unknownTrustedEntities } from '../../trust/trusted-entities/trusted-entities.ts'
import type { PresentationTemplate, TemplateContent } from './presentation-template.ts'
import { readPresentationTemplate } from './read-template.ts'
import { redirectPolicyOf } from './redirect-uris.ts'
import type { PresentationTemplateBody } from './schemas.ts'
import {
  archivePresentationTemplate,
  insertPresentationTemplate,
  replacePresentationTemplate,
} from './template-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'config'>

/** Adds a presentation template. @throws Fault `request.invalid` */
export async function createPresentationTemplate(
  needs: Needs,
  caller: Caller,
  body: PresentationTemplateBody,
  id = newId(),
): Promise<PresentationTemplate> {
  const { store, clock } = needs
  const content = await contentOf(needs, caller.tenantId, body)
  const entry = entryOf('presentation_template.created', id, caller)
  return store.single(caller.tenantId, (tx) => insertPresentationTemplate(tx, id, content, entry, clock.now()))
}

/** Replaces a presentation template; open requests keep what they were made from. @throws Fault `request.invalid`, `resource.unknown` */
export async function replaceTemplateOf(
  needs: Needs,
  caller: Caller,
  id: string,
  body: PresentationTemplateBody,
): Promise<PresentationTemplate> {
  const { store, clock } = needs
  const content = await contentOf(needs, caller.tenantId, body)
  const entry = entryOf('presentation_template.replaced', id, caller)
  return store.single(caller.tenantId, (tx) => replacePresentationTemplate(tx, id, content, entry, clock.now()))
}

/** Archives a presentation template. @throws Fault `resource.unknown` */
export async function archiveTemplateOf(
  { store, clock }: Needs,
  caller: Caller,
  id: string,
): Promise<PresentationTemplate> {
  const entry = entryOf('presentation_template.archived', id, caller)
  return store.single(caller.tenantId, (tx) => archivePresentationTemplate(tx, id, entry, clock.now()))
}

/** Trusted entities are looked up only if the body names any. */
async function contentOf(needs: Needs, tenantId: TenantId, body: PresentationTemplateBody): Promise<TemplateContent> {
  const named = body.credentials.flatMap(({ trustedIssuers = [] }) => trustedIssuers)
  const redirects = await redirectPolicyOf(needs, tenantId)
  return readPresentationTemplate(body, redirects, await unknownTrustedEntities(needs, tenantId, named))
}

function entryOf(action: AuditAction, id: string, by: Caller): AuditEntry {
  return { action, subject: { kind: 'presentation_template', id }, by }
}
