import type { UserRequest } from '../../authorization/server/instance.ts'
import { forgetHeldClaims } from '../../authorization/sign-in/providers/held-claims.ts'
import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { findUser } from '../../directory/users/find-user.ts'
import { askEndpoint } from '../../events/webhooks/ask-endpoint.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { nullIfRefused, type TenantTx } from '../../store/store.ts'
import { issuanceCheckOf } from '../issuances/issuance-refusal.ts'
import { insertOffered } from '../issuances/issuance-store.ts'
import { newIssuance } from '../issuances/new-issuance.ts'
import type { CredentialTemplate } from '../templates/template.ts'
import { asTemplate } from '../templates/validity.ts'
import type { RequestedCredential } from './requested-credential.ts'

/** An issuance that is inserted with the code for it, or not at all. */
type NewIssuance = { readonly id: string; readonly insert: (tx: TenantTx) => Promise<void> }

/**
 * Makes an issuance for a signed-in user with the attributes that the claims of the sign-in gave, or those that the
 * organisation gives for them at this moment. Nothing is written before `insert`: an organisation that does not answer,
 * or answers what the template does not allow, leaves nothing behind.
 *
 * @throws Fault `credential.not_prepared` if the organisation gives the user none, `attributes.unavailable`
 */
export async function prepareIssuance(
  platform: Platform,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  asked: Pick<UserRequest, 'session' | 'client' | 'ip' | 'requestId'>,
  { issued: template, attributes: known }: Pick<RequestedCredential, 'issued' | 'attributes'>,
): Promise<NewIssuance> {
  const id = newId()
  const { session } = asked
  const attributes = known ?? (await askAttributes(platform, tenant, { id, ...asked }, template))
  const refusal = (await issuanceCheckOf(platform, tenant, template))(attributes)
  if (refusal !== null) {
    platform.log.warn({ tenantId: tenant.id, templateId: template.id, code: refusal.code }, 'attributes are refused')
    throw new Fault('attributes.unavailable', { cause: refusal })
  }
  const made = await newIssuance(platform, tenant.id, template, {
    id,
    attributes,
    recipientId: session.userId,
    codeOnly: true,
    ...asTemplate,
  })
  const by = { kind: 'user', id: session.userId, ip: asked.ip, requestId: asked.requestId } as const
  return {
    id,
    insert: async (tx) => {
      // The template was replaced or archived since.
      if ((await nullIfRefused(insertOffered(tx, made.row, made.entryBy(by)))) === null)
        throw new Fault('attributes.unavailable')
      if (known !== null) await forgetHeldClaims(tx, session.sessionId)
    },
  }
}

async function askAttributes(
  platform: Platform,
  { id: tenantId }: Pick<Tenant, 'id'>,
  { id, session, client }: Pick<UserRequest, 'session' | 'client'> & { readonly id: string },
  { id: credentialTemplateId, code, definition }: CredentialTemplate,
): Promise<JsonObject> {
  const { attributeSource: source } = definition
  const user = await platform.store.single(tenantId, (tx) => findUser(tx, 'id', session.userId))
  if (source?.kind !== 'webhook' || user === null) throw new Fault('credential.not_prepared')
  const { username, email, externalIdentifier } = user
  const data = {
    issuanceId: id,
    credentialTemplateId,
    code,
    clientId: client.clientId,
    user: { id: user.id, username, email, externalIdentifier },
  }
  const question = { id, type: 'issuance.attributes_requested', data }
  const answer = await askEndpoint(platform, tenantId, source.endpointId, question).catch((cause: unknown) => {
    if (!(cause instanceof Fault)) throw cause
    platform.log.warn({ tenantId, templateId: credentialTemplateId, code: cause.code }, 'no attributes could be asked')
    throw new Fault('attributes.unavailable', { cause })
  })
  if (answer === null) throw new Fault('credential.not_prepared')
  if (isJsonObject(answer) && isJsonObject(answer.attributes)) return answer.attributes
  throw new Fault('attributes.unavailable', { notes: 'the response has no attributes' })
}
