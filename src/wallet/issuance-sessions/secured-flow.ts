import { Fault } from '../../fault.ts'
import type { Configuration } from '../../protocols/openid4vci/credential-configuration.ts'
import type { IssuerMetadata } from '../../protocols/openid4vci/issuer-metadata.ts'
import type { ServerMetadata } from '../../protocols/openid4vci/server-metadata.ts'

/**
 * Refuses an issuer that does not support what secures the code flow, before anything is sent to it. [HAIP-2] [HAIP-3]
 * [HAIP-4] [HAIP-8]
 *
 * @throws Fault `issuer_metadata.invalid`, which names what is missing
 * @see [HAIP 1.0, 4](https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0.html#section-4)
 */
export function refuseUnsecuredFlow(
  { nonceEndpoint }: Pick<IssuerMetadata, 'nonceEndpoint'>,
  server: ServerMetadata,
  configurations: readonly Configuration[],
): void {
  const rules: readonly (readonly [boolean, string])[] = [
    [server.pushedRequestEndpoint !== null, 'pushed authorization requests'],
    [server.dpopAlgs.includes('ES256'), 'DPoP with ES256'],
    [server.sendsIss, 'iss in authorization responses'],
    [server.authMethods.includes('attest_jwt_client_auth'), 'client attestations'],
    [configurations.every(({ scope }) => scope !== null), 'a scope for each credential'],
    [nonceEndpoint !== null || configurations.every(({ proofAlgs }) => proofAlgs === null), 'a nonce endpoint'],
  ]
  const missing = rules.flatMap(([isMet, what]) => (isMet ? [] : [what]))
  if (missing.length === 0) return
  const detail = `The organisation follows HAIP 1.0, and the metadata of the issuer have no ${missing.join(', no ')}.`
  throw new Fault('issuer_metadata.invalid', { detail })
}
