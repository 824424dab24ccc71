import type { IncomingHttpHeaders } from 'node:http'
import { checkAttestation } from '../../authorization/server/clients/check-attestation.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { attestationDemands } from './issuer-clients.ts'

/**
 * Verifies the client attestation of a request to an endpoint that needs an access token, if the request has one: the
 * token is the authorization, and an attestation beside it must not be a false one.
 *
 * @throws Fault `client_attestation.*`, `request.rate_limited`
 */
export async function checkSentAttestation(
  platform: Platform,
  tenant: Tenant,
  sent: { readonly headers: IncomingHttpHeaders; readonly ip: string },
): Promise<void> {
  const audience = platform.urls.issuer(tenant.slug)
  const receiver = { tenantId: tenant.id, audience, ...attestationDemands(policyOf(tenant).issuing) }
  const attested = await checkAttestation(platform, receiver, sent)
  if (attested?.isProven !== false) return
  throw new Fault('client_attestation.invalid', { detail: 'The header OAuth-Client-Attestation-PoP is missing.' })
}
