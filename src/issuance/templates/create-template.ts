import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { catalogChanged } from './catalog-lease.ts'
import { readCredentialTemplate } from './read-template.ts'
import type { TemplateBody } from './schemas.ts'
import type { CredentialTemplate } from './template.ts'
import { cacheTemplate } from './template-cache.ts'
import { insertFirst } from './template-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls'>

/**
 * Creates a credential template, which also publishes its type.
 *
 * @throws Fault `request.invalid`, `state.conflict` if another template has the code
 */
export async function createCredentialTemplate(
  needs: Needs,
  caller: Caller,
  body: TemplateBody,
  id = newId(),
): Promise<CredentialTemplate> {
  const now = needs.clock.now()
  const read = readCredentialTemplate(body, needs.urls.issuer(caller.tenantSlug), now)
  const template = { ...read, id, version: 1, createdAt: now, updatedAt: now, archivedAt: null }
  const subject = { kind: 'credential_template', id: template.id } as const
  const entry = { action: 'credential_template.created', subject, by: caller } as const
  const inserted = await needs.store.single(caller.tenantId, (tx) => insertFirst(tx, template, entry))
  if (!inserted) {
    const violations = [{ detail: 'Another credential template has this code.', pointer: '/code' }]
    throw new Fault('state.conflict', { violations })
  }
  cacheTemplate(needs, caller.tenantId, template)
  await catalogChanged(needs, caller.tenantId)
  return template
}
