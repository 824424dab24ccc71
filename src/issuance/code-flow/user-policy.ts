import type { Decision, Granted, UserPolicy, UserRequest } from '../../authorization/server/instance.ts'
import type { TokenForm } from '../../authorization/server/token-request.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { credentialDetails, readCredentialDetails } from '../../protocols/openid4vci/authorization-details.ts'
import type { TenantTx } from '../../store/store.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import { makeAccessToken, makeTokenSecret, WALLET_TOKEN_TTL_SECONDS } from '../offers/access-token.ts'
import { isConsent } from './consent-token.ts'
import { prepareIssuance } from './prepare-issuance.ts'
import { redeemPrepared, renewToken, revokeToken } from './prepared-store.ts'
import { isClaimsFault, recordRefusedClaims } from './provider-attributes.ts'
import { findTarget, type RequestedCredential, readRequested } from './requested-credential.ts'

/** What a code stands for: the issuance, and whether the token response names the credential by its identifier. */
type Details = { readonly issuanceId: string; readonly identified: boolean }

/** A consent counts for the hour that a request may take, and is remembered a little longer. */
const CONSENT_MS = 3_900_000

/**
 * Returns what users may grant to wallets at a tenant as credential issuer: one credential with each code, after they
 * agreed to it.
 */
export function credentialPolicy(tenant: Pick<Tenant, 'id' | 'slug'>): UserPolicy {
  return {
    consentPage: `/issuers/${tenant.slug}/consent`,
    needsScope: false,
    refreshTokens: 'always',
    check: async (platform, request, parameters) => {
      await readRequested(platform, tenant, request, parameters)
    },
    needsClaims: async (platform, request, parameters) => {
      const { template } = await readRequested(platform, tenant, request, parameters)
      return template.definition.attributeSource?.kind === 'provider'
    },
    decide: (platform, asked) => decide(platform, tenant, asked),
    tokens: {
      kind: 'stored',
      store: (platform, tx, granted, { form }) => storeToken(platform, tenant, tx, granted, form),
      revoke: (tx, { familyId, details }, now) =>
        details === null ? Promise.resolve() : revokeToken(tx, { id: detailsOf(details).issuanceId, familyId }, now),
    },
  }
}

async function decide(platform: Platform, tenant: Pick<Tenant, 'id' | 'slug'>, asked: UserRequest): Promise<Decision> {
  const { session, request, parameters, since, consent: token } = asked
  const requested = await readRequested(platform, tenant, request, parameters)
  const target = await findTarget(platform, tenant, session, requested).catch(async (error: unknown) => {
    if (isClaimsFault(error)) await recordRefusedClaims(platform, asked, requested.template, error)
    throw error
  })
  if (target.lacksClaims) {
    // Once a sign-in that this request led to brought none, the page says where to sign in.
    const isAsked = since !== null && session.authenticatedAt >= since
    return { kind: isAsked ? 'consent' : 'sign-in' }
  }
  const consent = since === null ? null : { sessionId: session.sessionId, parameters, since, target }
  if (consent === null || token === undefined || !(await isConsent(platform, tenant, consent, token)))
    return { kind: 'consent' }
  const { id, insert } = await issuanceOf(platform, tenant, asked, target)
  const details: Details = { issuanceId: id, identified: target.byDetails }
  return {
    kind: 'grant',
    scopes: target.byDetails ? [] : [target.template.code],
    details,
    // One code for each consent, also for a browser that sends it twice.
    consent: { token, expiresAt: new Date(platform.clock.now().getTime() + CONSENT_MS) },
    ...(insert !== null && { write: insert }),
  }
}

async function issuanceOf(
  platform: Platform,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  asked: UserRequest,
  target: RequestedCredential,
) {
  if (target.issuance !== null) return { id: target.issuance.id, insert: null }
  return prepareIssuance(platform, tenant, asked, target)
}

async function storeToken(
  { clock, sealing }: Platform,
  tenant: Pick<Tenant, 'id'>,
  tx: TenantTx,
  granted: Granted,
  form: TokenForm,
) {
  const { familyId, userId, jkt, isRefresh } = granted
  const { issuanceId: id, identified: byRequest } = detailsOf(granted.details)
  const named = readCredentialDetails(form.authorization_details)
  const identified = byRequest || named !== null
  const now = clock.now()
  const secret = makeTokenSecret()
  const expiresAt = new Date(now.getTime() + WALLET_TOKEN_TTL_SECONDS * 1000)
  const token = { id, familyId, tokenHash: secret.hash, tokenExpiresAt: expiresAt }
  const template = isRefresh
    ? await renewToken(tx, token, now)
    : await redeemPrepared(tx, { ...token, userId, identified }, now)
  if (template === null) throw new Fault('grant.invalid')
  const { code, templateId, templateVersion } = template
  // [VCI-T3] A token request can narrow what was granted, not extend it.
  if (named?.some((one) => one !== code)) throw new Fault('authorization_details.invalid')
  const about = { id, templateId, templateVersion, identified, expiresAt, jkt, clientId: granted.client.clientId }
  return async () => ({
    access_token: await makeAccessToken(sealing, tenant.id, secret, about),
    token_type: jkt === null ? ('Bearer' as const) : ('DPoP' as const),
    expires_in: WALLET_TOKEN_TTL_SECONDS,
    ...(granted.scopes.length > 0 && { scope: granted.scopes.join(' ') }),
    ...(granted.refreshToken !== null && { refresh_token: granted.refreshToken }),
    ...(identified && { authorization_details: [credentialDetails(code, credentialIdOf(id))] }),
  })
}

/** Stored by {@link decide}. */
function detailsOf(details: unknown): Details {
  return details as Details
}
