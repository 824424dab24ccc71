import { equalInConstantTime, hmacSha256 } from '../../crypto/digest.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { Platform } from '../../platform.ts'
import type { Parameters } from '../../protocols/oauth2/authorization-request.ts'
import type { RequestedCredential } from './requested-credential.ts'

type Needs = Pick<Platform, 'sealing'>

/** What a user agrees to: this request, in this session, for this credential. */
export type CredentialConsent = {
  readonly sessionId: string
  readonly parameters: Parameters
  /** When the request first arrived. It limits the time in which the consent counts. */
  readonly since: Date
  readonly target: Pick<RequestedCredential, 'issued' | 'issuance' | 'attributes'>
}

/**
 * Returns the token by which the consent page says that the user agreed. It fits one authorization request in one
 * session and what was shown; each other request asks again, so no wallet gets a credential by the consent that another
 * got. Whether it was used is NOT checked here.
 */
export async function consentToken(
  needs: Needs,
  tenant: Pick<Tenant, 'id'>,
  consent: CredentialConsent,
): Promise<string> {
  return macOf(needs, tenant, 'agreed', consent)
}

/** Whether a token is the one of a consent. */
export async function isConsent(
  needs: Needs,
  tenant: Pick<Tenant, 'id'>,
  consent: CredentialConsent,
  token: string,
): Promise<boolean> {
  return equalInConstantTime(token, await consentToken(needs, tenant, consent))
}

/** Returns the value by which a posted form shows that the page was about the same request and credential. */
export async function shownToken(
  needs: Needs,
  tenant: Pick<Tenant, 'id'>,
  consent: CredentialConsent,
): Promise<string> {
  return macOf(needs, tenant, 'shown', consent)
}

async function macOf(
  { sealing }: Needs,
  { id }: Pick<Tenant, 'id'>,
  purpose: 'agreed' | 'shown',
  { sessionId, parameters, since, target: { issued, issuance, attributes } }: CredentialConsent,
): Promise<string> {
  const { since: _, consent: __, ...own } = parameters
  const request = Object.entries(own).sort(([one], [other]) => (one < other ? -1 : 1))
  const credential = [issued.id, issued.version, issuance?.id ?? null, attributes]
  const text = JSON.stringify([purpose, sessionId, since.getTime(), request, credential])
  return hmacSha256(await sealing.derive(id, 'issuance-consent'), text).toString('base64url')
}
