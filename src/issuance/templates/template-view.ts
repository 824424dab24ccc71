import type { TemplateView } from '../../contract/issuance/credential-templates.ts'
import { type CredentialTemplate, typeOf } from './template.ts'

/** Returns a template as in our API. @param issuer Credential Issuer Identifier of the tenant. */
export function showCredentialTemplate(template: CredentialTemplate, issuer: string): TemplateView {
  const { id, code, name, definition, createdAt, updatedAt, archivedAt } = template
  return {
    id,
    name,
    code,
    ...definition,
    attributes: { ...definition.attributes } as TemplateView['attributes'],
    type: typeOf(issuer, template),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    archivedAt: archivedAt?.toISOString() ?? null,
  } as TemplateView
}
