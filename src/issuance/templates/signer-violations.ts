import type { TenantPolicy } from '../../directory/tenants/tenant-policy.ts'
import type { Violation } from '../../fault.ts'
import type { TemplateDefinition } from './template.ts'

/**
 * Returns where a template names another signer than the one that its tenant requires. [HAIP-31]
 *
 * @see [HAIP 1.0, 6.1.1 and 7](https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0.html#section-6.1.1)
 */
export function signerViolations(
  { signer: required }: Pick<TenantPolicy['issuing'], 'signer'>,
  { signer }: Pick<TemplateDefinition, 'signer'>,
): readonly Violation[] {
  if (required === null) return []
  const rules = [
    [signer?.kind === 'did:web', '/signer/kind', 'a credential is signed with a certificate, not with the did:web key'],
    [signer?.keyType === 'Ed25519', '/signer/keyType', 'a credential is signed with a P-256 key'],
  ] as const
  return rules.flatMap(([isBroken, pointer, what]) =>
    isBroken ? { detail: `The organisation follows HAIP 1.0, where ${what}.`, pointer, rule: 'haip.signer' } : [],
  )
}
