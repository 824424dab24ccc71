import type { TenantId } from '../../caller.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import type { Rule } from '../../fault/rules.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory'>
type Grant = 'pre-authorized_code' | 'authorization_code'

const profile = 'The organisation follows HAIP 1.0, which issues by the authorization code flow only'

/**
 * Returns how an offer may be redeemed: as its request says, by default with the pre-authorized code. Where the tenant
 * accepts no pre-authorized code, with the authorization code, which needs a user. [HAIP-1]
 *
 * @throws Fault `request.invalid` there: for the pre-authorized code, and without a user
 */
export async function grantsOfOffer(
  needs: Needs,
  tenantId: TenantId,
  { grants, recipient }: { readonly grants?: Grant[] | undefined; readonly recipient?: object | undefined },
): Promise<Grant[]> {
  if (await acceptsPreAuthorizedCode(needs, tenantId)) return grants ?? ['pre-authorized_code']
  const isByCode = grants === undefined ? recipient !== undefined : !grants.includes('pre-authorized_code')
  if (isByCode) return ['authorization_code']
  const detail = `${profile}: send grants ["authorization_code"], and recipient, the user who gets the credential by signing in.`
  throw new Fault('request.invalid', { violations: [{ detail, pointer: '/grants' }] })
}

/**
 * Refuses offers with a pre-authorized code where the tenant accepts none. [HAIP-1]
 *
 * @throws Fault `state.invalid`. `meta.rule`: `haip.batch`
 */
export async function refusePreAuthorizedCode(needs: Needs, tenantId: TenantId): Promise<void> {
  if (await acceptsPreAuthorizedCode(needs, tenantId)) return
  const detail = `${profile}: create each issuance with POST /creds/credentials/issuance, a recipient and grants ["authorization_code"].`
  throw new Fault('state.invalid', { detail, meta: { rule: 'haip.batch' satisfies Rule } })
}

async function acceptsPreAuthorizedCode(needs: Needs, tenantId: TenantId): Promise<boolean> {
  return (await findPolicyOf(needs, tenantId)).issuing.acceptsPreAuthorizedCode
}
