import type { Caller } from '../../caller.ts'
import type { PresentationRequestReply } from '../../contract/verification/presentation-requests.ts'
import type { PresentationTemplateReply } from '../../contract/verification/presentation-templates.ts'
import type { PresentationTemplate } from '../templates/presentation-template.ts'
import type { PresentationRequest } from './presentation-request.ts'
import { linksOf } from './request-links.ts'
import { requestTokenOf } from './request-token.ts'
import type { RequestNeeds } from './serve-request-object.ts'

/** Returns a template as the API shows it. */
export function showPresentationTemplate(template: PresentationTemplate): PresentationTemplateReply {
  const { id, name, description, createdAt, updatedAt, credentials } = template
  return {
    id,
    name,
    description,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    credentials: credentials.map(({ type, format, attributes, name: title, description: text }) => ({
      type,
      format,
      attributes,
      ...(title !== undefined && { name: title }),
      ...(text !== undefined && { description: text }),
    })),
  }
}

/**
 * Returns the members of a template that the contract has in request bodies only, for clients that read a template to
 * replace it.
 */
export function templateMeta({ credentials, verifierConfig, retentionSeconds }: PresentationTemplate) {
  return {
    verifierConfig,
    retentionSeconds,
    credentials: credentials.map(
      ({
        type: _,
        format: __,
        attributes: ___,
        name: ____,
        description: _____,
        issuers = [],
        trustedIssuers = [],
        ...rest
      }) => ({
        issuers,
        trustedIssuers,
        ...rest,
      }),
    ),
  }
}

/** Returns a request as the API shows it, with its URLs. */
export async function showRequest(
  platform: RequestNeeds,
  { tenantId, tenantSlug }: Pick<Caller, 'tenantId' | 'tenantSlug'>,
  request: PresentationRequest,
): Promise<PresentationRequestReply> {
  const { id, status, error, templateId, reference, credentials, expiresAt, createdAt, updatedAt } = request
  const token = await requestTokenOf(platform, tenantId, id)
  const { isForBrowsers, templateName, completedAt, claimsKeptUntil } = request
  const addresses = await linksOf(platform, { id: tenantId, slug: tenantSlug }, token, request)
  const { authorizationRequestUri, authorizationRequestReferenceUri, authorizationRequestQrUri } = addresses
  const { requestPageUri } = addresses
  return {
    id,
    status,
    presentationTemplateId: templateId,
    authorizationRequestUri,
    authorizationRequestQrUri,
    requestPageUri,
    error,
    ...(templateName !== null && { templateName }),
    ...(reference !== null && { reference }),
    ...(completedAt !== null && { completedAt: completedAt.toISOString() }),
    ...(claimsKeptUntil !== null && { claimsKeptUntil: claimsKeptUntil.toISOString() }),
    credentials: [...credentials],
    expiresAt: expiresAt.toISOString(),
    ...(authorizationRequestReferenceUri !== undefined && { authorizationRequestReferenceUri }),
    ...(isForBrowsers && { digitalCredentialsUri: addresses.digitalCredentialsUri }),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
