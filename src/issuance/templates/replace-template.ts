import type { Caller } from '../../caller.ts'
import { Fault, type Violation } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { catalogChanged } from './catalog-lease.ts'
import { type ReadTemplate, readCredentialTemplate } from './read-template.ts'
import type { TemplateBody } from './schemas.ts'
import type { CredentialTemplate, TemplateDefinition } from './template.ts'
import { cacheTemplate, latestTemplate } from './template-cache.ts'
import { insertNext } from './template-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'urls'>

/**
 * Replaces a credential template as a whole, by a new version. Open offers keep the version that they were made from.
 *
 * @throws Fault `resource.unknown` also for an archived one; `request.invalid`; `state.conflict` if the code, the format, the document type
 * or whether it is revocable would change, or if somebody else replaced it at the same moment.
 */
export async function replaceCredentialTemplate(
  needs: Needs,
  caller: Caller,
  id: string,
  body: TemplateBody,
): Promise<CredentialTemplate> {
  const current = await latestTemplate(needs, caller.tenantId, id)
  if (current.archivedAt !== null) throw new Fault('resource.unknown')
  const read = readCredentialTemplate(body, needs.urls.issuer(caller.tenantSlug), needs.clock.now())
  const violations = changesOfFixed(current, read)
  if (violations.length > 0) throw new Fault('state.conflict', { violations })
  const next = { ...current, ...read, updatedAt: needs.clock.now() }
  const entry = {
    action: 'credential_template.replaced',
    subject: { kind: 'credential_template', id },
    by: caller,
  } as const
  const written = await needs.store.single(caller.tenantId, (tx) => insertNext(tx, next, entry))
  if (written === null) throw new Fault('state.conflict', { detail: 'The template was changed at the same moment.' })
  cacheTemplate(needs, caller.tenantId, written)
  await catalogChanged(needs, caller.tenantId)
  return written
}

function changesOfFixed(current: CredentialTemplate, { code, definition }: ReadTemplate): Violation[] {
  const violations: Violation[] = []
  if (code !== current.code) violations.push({ detail: 'The code of a template is fixed.', pointer: '/code' })
  if (definition.revocable !== current.definition.revocable) {
    violations.push({ detail: 'Whether credentials are revocable is fixed.', pointer: '/revocable' })
  }
  // Wallets find an open offer's format and type in the metadata, which shows the newest version.
  if (definition.format !== current.definition.format) {
    violations.push({ detail: 'The format of a template is fixed.', pointer: '/format' })
  } else if (docTypeOf(definition) !== docTypeOf(current.definition)) {
    violations.push({ detail: 'The document type of a template is fixed.', pointer: '/docType' })
  }
  return violations
}

function docTypeOf(definition: TemplateDefinition): string | null {
  return definition.format === 'mdoc' ? definition.docType : null
}
