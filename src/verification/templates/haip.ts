import type { Violation } from '../../fault.ts'
import type { VerifierConfig } from './presentation-template.ts'

/**
 * Returns where the requests of a template would leave HAIP: they are signed under `x509_hash` with P-256, and their responses are encrypted.
 * [HAIP-20] [HAIP-21]
 *
 * @param pointer JSON pointer of the configuration, or of the member that names the template.
 * @see [HAIP 1.0, 5](https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0.html#section-5)
 */
export function haipViolations(config: VerifierConfig | null, pointer: string): readonly Violation[] {
  const { signer, keyType, clientIdPrefix = 'x509_hash', responseMode } = config ?? {}
  const rules: readonly (readonly [boolean, string])[] = [
    [signer === 'did:web', 'a request is signed with a certificate, not with the did:web'],
    [keyType === 'Ed25519', 'a request is signed with a P-256 key'],
    [clientIdPrefix !== 'x509_hash', 'the client identifier prefix is x509_hash'],
    [responseMode === 'direct_post', 'responses are encrypted'],
  ]
  return rules.flatMap(([isBroken, rule]) =>
    isBroken ? { detail: `The organisation follows HAIP 1.0, where ${rule}.`, pointer } : [],
  )
}
