import { anyCanSignIn } from '../../../directory/accounts/account-facts.ts'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import { findTenant, listTenantSlugs } from '../../../directory/tenants/find-tenant.ts'
import { ensureOwner, listOwners } from '../../../directory/users/sign-in-users.ts'
import type { Platform } from '../../../platform.ts'
import { makeLink, storeLink, type ToldLink } from './one-time-link.ts'

/** `unknown`: there is no such tenant. `disabled`: the user exists and may not sign in. */
export type OwnerOutcome =
  | ({ readonly kind: 'link'; readonly tenantSlug: string; readonly username: string } & ToldLink)
  | { readonly kind: 'unknown' }
  | { readonly kind: 'disabled' }

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls' | 'log'>

/** The tenant of a deployment that declares none. */
const DEFAULT_TENANT = 'default'
const DEFAULT_OWNER = 'owner'

/**
 * Makes a one-time link by which a person becomes an owner of a tenant. The user is created if there is none with this
 * name, and has the role `owner` from then on, also if the link is never used. It is for the operator of the server:
 * the caller is NOT authenticated.
 */
export async function createOwnerLink(
  needs: Needs,
  tenantSlug: string,
  username = DEFAULT_OWNER,
): Promise<OwnerOutcome> {
  const tenant = await findTenant(needs, tenantSlug)
  if (tenant === null) return { kind: 'unknown' }
  const now = needs.clock.now()
  return needs.store.inTenant(tenant.id, async (tx): Promise<OwnerOutcome> => {
    const userId = await ensureOwner(tx, username, now)
    if (userId === null) return { kind: 'disabled' }
    const { link, told } = makeLink(needs, { tenantId: tenant.id, userId }, 'owner')
    const maker = { way: 'operator_link', by: 'system', makerRoles: null } as const
    if ((await storeLink(tx, link, maker, now)) !== null) return { kind: 'disabled' }
    return { kind: 'link', tenantSlug, username, ...told }
  })
}

/**
 * Returns the tenant whose owner the operator means: the only one; `default`, which is created, if there is none.
 *
 * @returns null if there are several.
 */
export async function ownTenant(needs: Needs): Promise<string | null> {
  const [only, second] = await listTenantSlugs(needs, 2)
  if (second !== undefined) return null
  if (only === undefined) {
    await applyBootstrap(needs, { tenants: [{ slug: DEFAULT_TENANT, name: 'Default' }] })
    // No file names it, so its owner may change its name.
    await applyBootstrap(needs, { tenants: [] })
  }
  return only ?? DEFAULT_TENANT
}

/**
 * Makes an owner link for a newcomer: where `default` is the only tenant, or there is none, and no owner of it can sign
 * in. Else null.
 */
export async function newcomerLink(needs: Needs): Promise<OwnerOutcome | null> {
  const slug = await ownTenant(needs)
  if (slug !== DEFAULT_TENANT) return null
  const tenant = await findTenant(needs, slug)
  if (tenant === null) return null
  const hasOwner = await needs.store.inTenant(tenant.id, async (tx) => anyCanSignIn(tx, await listOwners(tx)))
  return hasOwner ? null : createOwnerLink(needs, slug)
}
