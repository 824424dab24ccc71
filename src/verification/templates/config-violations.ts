import type { TenantPolicy } from '../../directory/tenants/tenant-policy.ts'
import type { Violation } from '../../fault.ts'
import type { VerifierConfig } from './presentation-template.ts'

/**
 * Returns where the requests of a template would not be what its tenant requires. [HAIP-20] [HAIP-21]
 *
 * @param pointer JSON pointer of the configuration, or of the member that names the template.
 */
export function configViolations(
  { requiresCertifiedRequests, requiresEncryptedResponses }: TenantPolicy['presenting'],
  config: VerifierConfig | null,
  pointer: string,
): readonly Violation[] {
  const { signer, keyType, clientIdPrefix = 'x509_hash', responseMode } = config ?? {}
  const rules: readonly (readonly [boolean, string])[] = [
    [requiresCertifiedRequests && signer === 'did:web', 'a request is signed with a certificate, not with the did:web'],
    [requiresCertifiedRequests && keyType === 'Ed25519', 'a request is signed with a P-256 key'],
    [requiresCertifiedRequests && clientIdPrefix !== 'x509_hash', 'the client identifier prefix is x509_hash'],
    [requiresEncryptedResponses && responseMode === 'direct_post', 'responses are encrypted'],
  ]
  return rules.flatMap(([isBroken, what]) =>
    isBroken ? { detail: `The organisation follows HAIP 1.0, where ${what}.`, pointer, rule: 'haip.request' } : [],
  )
}
