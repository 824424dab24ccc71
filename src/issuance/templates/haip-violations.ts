import type { Violation } from '../../fault.ts'
import type { TemplateDefinition } from './template.ts'

/**
 * Returns where credentials of a template would leave HAIP 1.0: they are signed with a certificate on P-256. [HAIP-31]
 *
 * @see [HAIP 1.0, 6.1.1 and 7](https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0.html#section-6.1.1)
 */
export function haipViolations({ signer }: Pick<TemplateDefinition, 'signer'>): readonly Violation[] {
  const rules = [
    [signer?.kind === 'did:web', '/signer/kind', 'a credential is signed with a certificate, not with the did:web key'],
    [signer?.keyType === 'Ed25519', '/signer/keyType', 'a credential is signed with a P-256 key'],
  ] as const
  return rules.flatMap(([isBroken, pointer, rule]) =>
    isBroken ? { detail: `The organisation follows HAIP 1.0, where ${rule}.`, pointer } : [],
  )
}
