import type { Tenant } from './tenant.ts'

/**
 * Whether a tenant issues and verifies by the profile alone: its setting `haip`.
 *
 * @see [OpenID4VC High Assurance Interoperability Profile 1.0](https://openid.net/specs/openid4vc-high-assurance-interoperability-profile-1_0.html)
 */
export function isHaip({ settings }: Pick<Tenant, 'settings'>): boolean {
  return settings.haip === true
}
