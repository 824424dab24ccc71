import type { Role } from '../../../caller.ts'
import { findFacts, lockFacts } from '../../../directory/accounts/account-facts.ts'
import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../../directory/tenants/tenant.ts'
import type { SignInUser } from '../../../directory/users/sign-in-user.ts'
import { findSignInUser } from '../../../directory/users/sign-in-users.ts'
import type { Actor } from '../../../events/audit/entry.ts'
import { record } from '../../../events/audit/record.ts'
import { makeBearerSecret, readBearerSecret } from '../../../keys/bearer-secret.ts'
import type { Platform } from '../../../platform.ts'
import type { TenantTx } from '../../../store/store.ts'
import { type ClosedReason, closedReason } from '../../acting/ways.ts'
import {
  findLinkRow,
  type LinkPurpose,
  type LinkRow,
  type LinkWay,
  type NewLink,
  putLink,
} from '../one-time-link-store.ts'
import type { UserRef } from '../visit.ts'

/** A link as it is told once; only the digest of its token is stored. */
export type ToldLink = { readonly url: string; readonly expiresAt: Date }

/** A link that can be used, with the person and organisation that it is for. */
export type OpenLink = LinkRow & { readonly tenant: Tenant; readonly user: SignInUser }

const TTL_SECONDS = { welcome: 7 * 86_400, reset: 3600, owner: 3600 } as const satisfies Record<LinkPurpose, number>

/** A link before it is stored. */
export type MadeLink = Pick<NewLink, 'id' | 'tokenHash' | 'userId' | 'purpose' | 'expiresAt'>

/**
 * Makes a link for a user, before the transaction that stores it by {@link storeLink}. Welcome links expire after 7
 * days, others after 1 h.
 */
export function makeLink(
  { urls, clock }: Pick<Platform, 'urls' | 'clock'>,
  { tenantId, userId }: UserRef,
  purpose: LinkPurpose,
): { readonly link: MadeLink; readonly told: ToldLink } {
  const { text, id, hash } = makeBearerSecret(tenantId)
  const expiresAt = new Date(clock.now().getTime() + TTL_SECONDS[purpose] * 1000)
  const link = { id, tokenHash: hash, userId, purpose, expiresAt }
  return { link, told: { url: `${urls.publicUrl}/sign-in/link?token=${text}`, expiresAt } }
}

/**
 * Who makes a link, by which way it opens the account. `makerRoles`: the roles that the maker could give; null: every
 * role.
 */
type LinkMaker = { readonly way: LinkWay; readonly by: Actor; readonly makerRoles: readonly Role[] | null }

/**
 * Stores a link with what its account is now; an older one of its purpose ends. One that opens an account in use
 * without the proof of its user is recorded as such too, and the user is shown it.
 *
 * @param admit Runs once the way is known to be open, before an older link ends; false: nothing is stored.
 * @returns null, or why nothing is stored
 */
export async function storeLink(
  tx: TenantTx,
  link: MadeLink,
  { way, by, makerRoles }: LinkMaker,
  now: Date,
  admit: () => Promise<boolean> = async () => true,
): Promise<ClosedReason | 'limited' | null> {
  const { userId, purpose } = link
  const facts = await lockFacts(tx, userId)
  if (facts === null) return 'inactive'
  const made = { makerRoles, emailFolded: facts.emailFolded, couldSignIn: facts.canSignIn }
  const closed = closedReason(way, facts, made)
  if (closed !== null) return closed
  if (!(await admit())) return 'limited'
  await putLink(tx, { ...link, ...made, way }, now)
  const subject = { kind: 'user', id: userId } as const
  await record(tx, { action: 'user.link_created', subject, by, detail: { purpose, way } }, now)
  const isInUse = closedReason('told_link', facts, made) === 'in_use'
  if (isInUse && (way === 'impersonated_link' || way === 'operator_link'))
    await record(tx, { action: 'user.impersonated', subject, by, detail: { way } }, now)
  return null
}

/**
 * Returns a link by the token in its address, without using it; null if it is unknown, used or expired, or its way is
 * closed now.
 */
export async function findLink(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  token: string,
): Promise<OpenLink | null> {
  const secret = readBearerSecret(token)
  const tenant = secret === null ? null : await findTenantOf(needs, secret.tenantId)
  if (secret === null || tenant === null) return null
  return needs.store.inTenant(tenant.id, async (tx) => {
    const link = await findLinkRow(tx, secret.id, secret.hash, needs.clock.now())
    const facts = link === null ? null : await findFacts(tx, link.userId)
    if (link === null || facts === null || closedReason(link.way, facts, link) !== null) return null
    const user = await findSignInUser(tx, link.userId)
    return user === null ? null : { ...link, tenant, user }
  })
}
