import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../../directory/tenants/tenant.ts'
import type { SignInUser } from '../../../directory/users/sign-in-user.ts'
import { findSignInUser } from '../../../directory/users/sign-in-users.ts'
import type { Actor } from '../../../events/audit/entry.ts'
import { record } from '../../../events/audit/record.ts'
import { makeBearerSecret, readBearerSecret } from '../../../keys/bearer-secret.ts'
import type { Platform } from '../../../platform.ts'
import type { TenantTx } from '../../../store/store.ts'
import { findLinkRow, type LinkPurpose, type LinkRow, type NewLink, putLink } from '../one-time-link-store.ts'
import type { UserRef } from '../visit.ts'

/** A link as it is told once; only the digest of its token is stored. */
export type ToldLink = { readonly url: string; readonly expiresAt: Date }

/** A link that can be used, with the person and organisation that it is for. */
export type OpenLink = LinkRow & { readonly tenant: Tenant; readonly user: SignInUser }

const TTL_SECONDS = { welcome: 7 * 86_400, reset: 3600, owner: 3600 } as const satisfies Record<LinkPurpose, number>

/** Makes a link for a user, before the transaction that stores it by {@link storeLink}. Welcome links expire after 7 days, others after 1 h. */
export function makeLink(
  { urls, clock }: Pick<Platform, 'urls' | 'clock'>,
  { tenantId, userId }: UserRef,
  purpose: LinkPurpose,
): { readonly link: NewLink; readonly told: ToldLink } {
  const { text, id, hash } = makeBearerSecret(tenantId)
  const expiresAt = new Date(clock.now().getTime() + TTL_SECONDS[purpose] * 1000)
  const link = { id, tokenHash: hash, userId, purpose, expiresAt, isTold: false }
  return { link, told: { url: `${urls.publicUrl}/sign-in/link?token=${text}`, expiresAt } }
}

/** Stores a link; an older one of its purpose ends. Returns false if the user may not sign in. */
export async function storeLink(tx: TenantTx, link: NewLink, by: Actor, now: Date): Promise<boolean> {
  if (!(await putLink(tx, link, now))) return false
  const { userId, purpose } = link
  const subject = { kind: 'user', id: userId } as const
  await record(tx, { action: 'user.link_created', subject, by, detail: { purpose } }, now)
  return true
}

/** Returns a link by the token in its address, without using it; null if it is unknown, used or expired, or its user may not sign in. */
export async function findLink(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  token: string,
): Promise<OpenLink | null> {
  const secret = readBearerSecret(token)
  const tenant = secret === null ? null : await findTenantOf(needs, secret.tenantId)
  if (secret === null || tenant === null) return null
  return needs.store.inTenant(tenant.id, async (tx) => {
    const link = await findLinkRow(tx, secret.id, secret.hash, needs.clock.now())
    const user = link === null ? null : await findSignInUser(tx, link.userId)
    return link === null || user === null ? null : { ...link, tenant, user }
  })
}
