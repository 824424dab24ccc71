import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { PLATFORM_TOKEN_TTL_SECONDS, signAccessToken } from '../../access/platform-token.ts'
import type { Grant, GrantRequest } from '../instance.ts'
import type { TokenAnswer } from '../token-request.ts'
import { grantScopes } from './grant-scopes.ts'

/** A client acts for itself. @see [RFC 6749, 4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4) */
export const clientCredentials: Grant = { type: 'client_credentials', client: 'required', issue: grantToClient }

/** @throws Fault `client.unauthorized`, `scope.invalid` */
async function grantToClient(platform: Platform, { client, form, jkt }: GrantRequest<Client>): Promise<TokenAnswer> {
  // RFC 6749 4.4: confidential clients only
  if (client.isPublic) throw new Fault('client.unauthorized')
  const scopes = grantScopes(form.scope, client.scopes)
  const { tenantId, clientId } = client
  const token = await signAccessToken(platform, { tenantId, clientId, userId: null, isActing: false, scopes, jkt })
  const type = jkt === null ? 'Bearer' : 'DPoP'
  return { access_token: token, token_type: type, expires_in: PLATFORM_TOKEN_TTL_SECONDS, scope: scopes.join(' ') }
}
