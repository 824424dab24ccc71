import type { TenantId } from '../../caller.ts'
import type { TrustBasis } from '../../contract/wallet/trust-basis.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { importPublicJwk, readPublicJwk, type VerificationKey } from '../../crypto/jwk.ts'
import { findJwsError } from '../../crypto/jws.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { SignedRequest, StatedClient } from '../../protocols/openid4vp/authenticate-request.ts'
import type { ClientId } from '../../protocols/openid4vp/client-id.ts'
import { readVerifierAttestation } from '../../protocols/openid4vp/verifier-attestation.ts'
import { trustedAttester } from '../../trust/attesters/trusted-attester.ts'

/**
 * One entry of the tenant's setting `registeredVerifiers`. `keys`: public JWKs that sign its requests. `metadata`: its
 * client metadata.
 */
type RegisteredVerifier = {
  readonly clientId: string
  readonly name: string
  readonly keys: readonly JsonObject[]
  readonly responseUris: readonly string[]
  readonly metadata?: JsonObject
}

/** A verifier that is identified by a statement about it, not by a certificate or DID. `name`: for the holder. */
type StatedVerifier = { readonly stated: StatedClient; readonly name: string; readonly basis: TrustBasis }

/**
 * Returns what the tenant registered about a verifier without a client identifier prefix.
 *
 * @throws Fault `presentation_request.client`
 */
export function findRegistered(tenant: Pick<Tenant, 'settings'> | null, { full }: ClientId): RegisteredVerifier {
  const setting = tenant?.settings.registeredVerifiers
  // The bootstrap file was validated against its schema.
  const all = Array.isArray(setting) ? (setting as readonly RegisteredVerifier[]) : []
  const found = all.find(({ clientId }) => clientId === full)
  if (found === undefined) {
    const detail = 'The organisation has registered no verifier with this client_id.'
    throw new Fault('presentation_request.client', { detail, meta: { rule: 'verifier.untrusted' } })
  }
  return found
}

/**
 * Returns the registration as the source of the key of a request.
 *
 * @throws Fault `presentation_request.client`
 * @see [OpenID4VP 1.0, 5.9.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-5.9.2)
 */
export function registeredVerifier(found: RegisteredVerifier, { jws }: SignedRequest): StatedVerifier {
  // OpenID4VP 1.0, 8.5: invalid_client, as the metadata are known
  if (jws.payload.client_metadata !== undefined) throw refused('A registered verifier must not send client_metadata.')
  const keys = found.keys.map((one): VerificationKey => importPublicJwk(readPublicJwk(one)))
  const key = keys.find((one) => findJwsError(jws, one) === null)
  const { responseUris, metadata = {} } = found
  const basis = { identifier: found.clientId }
  return { stated: { key: key ?? null, responseUris, metadata }, name: found.name, basis }
}

/**
 * Returns what the attestation in a request object says about the verifier, if a trusted attester of the tenant signed
 * it.
 *
 * @throws Fault `presentation_request.client`, `presentation_request.invalid`, `upstream.*`
 * @see [OpenID4VP 1.0, 5.9.3](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-defined-client-identifier-p)
 */
export async function attestedVerifier(
  platform: Parameters<typeof trustedAttester>[0] & Pick<Platform, 'clock'>,
  tenantId: TenantId,
  { client, jws: { header } }: SignedRequest,
): Promise<StatedVerifier> {
  const now = platform.clock.now()
  const { jws, issuer, key, redirectUris } = readVerifierAttestation(header.jwt, client, now)
  const attester = await trustedAttester(platform, tenantId, jws, now)
  // OpenID4VP 1.0, 5.9.3: without trust in the issuer the request is refused
  if (attester === null) throw refused('The issuer of the attestation about the verifier is not trusted.')
  const { kid } = jws.header
  const isNamed = Object.hasOwn(jws.header, 'x5c') || (typeof kid === 'string' && kid.startsWith(`${issuer}#`))
  if (!isNamed || findJwsError(jws, attester.key) !== null)
    throw refused('The attestation about the verifier is not valid.')
  const basis = { identifier: client.id, attester: issuer }
  return { stated: { key, responseUris: redirectUris, metadata: null }, name: client.id, basis }
}

function refused(detail: string): Fault {
  return new Fault('presentation_request.client', { detail })
}
