import type { Client } from '../../directory/clients/client.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { signAccessToken, TOKEN_TTL_SECONDS } from '../access/platform-token.ts'
import { authenticateClient } from './authenticate-client.ts'
import { readClientProof, type TokenForm } from './client-proof.ts'
import { exchangeToken, TOKEN_EXCHANGE } from './exchange-token.ts'
import { grantScopes } from './grant-scopes.ts'
import type { TokenAnswer, TokenRequest } from './token-request.ts'

/** Grant types of the token endpoint. */
export const grantTypes = ['client_credentials', TOKEN_EXCHANGE] as const

/**
 * Issues an access token at the platform's token endpoint.
 *
 * @throws Fault `client.unauthenticated`, `client.unauthorized`, `grant.unsupported`, `scope.invalid`, `target.invalid`, `request.invalid`,
 * `request.rate_limited`
 */
export async function issueToken(platform: Platform, request: TokenRequest): Promise<TokenAnswer> {
  const { form, headers, ip } = request
  if (!form.grant_type) throw new Fault('request.invalid', { detail: 'grant_type is missing.' })
  const client = await authenticateClient(platform, readClientProof(headers, form), ip)
  checkTarget(platform, form)
  if (form.grant_type === 'client_credentials') return grantToClient(platform, client, form)
  if (form.grant_type === TOKEN_EXCHANGE) return exchangeToken(platform, client, request)
  throw new Fault('grant.unsupported', { detail: `grant_type is one of: ${grantTypes.join(', ')}.` })
}

async function grantToClient(platform: Platform, client: Client, form: TokenForm): Promise<TokenAnswer> {
  const scopes = grantScopes(form.scope, client.scopes)
  const { tenantId, clientId } = client
  const token = await signAccessToken(platform, { tenantId, clientId, userId: null, isActing: false, scopes })
  return { access_token: token, token_type: 'Bearer', expires_in: TOKEN_TTL_SECONDS, scope: scopes.join(' ') }
}

/** RFC 8707 2 and RFC 8693 2.1: tokens are for this platform's API only, under any of its addresses. */
function checkTarget({ config, urls }: Platform, { resource, audience }: TokenForm): void {
  const ours = [urls.publicUrl, config.walletBaseUrl, config.credsBaseUrl, config.onboardingBaseUrl]
  const named = [resource, audience].filter((one) => one !== undefined && one !== '')
  if (named.some((one) => !ours.includes(one?.replace(/\/$/, '') ?? ''))) throw new Fault('target.invalid')
}
