import type { Role } from '../../../caller.ts'
import { lockFacts } from '../../../directory/accounts/account-facts.ts'
import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { findSignInUser } from '../../../directory/users/sign-in-users.ts'
import type { Actor } from '../../../events/audit/entry.ts'
import { enqueue } from '../../../jobs/job.ts'
import type { Platform } from '../../../platform.ts'
import type { TenantTx } from '../../../store/store.ts'
import { type ClosedReason, closedReason } from '../../acting/ways.ts'
import { admitMail, fillMail, type MailText, mailAllowance } from '../mail/mail.ts'
import { sealMail, sendMailJob } from '../mail/send-mail.ts'
import type { UserRef } from '../visit.ts'
import { type MadeLink, makeLink, storeLink, type ToldLink } from './one-time-link.ts'

/**
 * `link`: to be shown once to the caller who invited, since there is no mail server or no address. `limited`: too many
 * mails were sent.
 */
type InviteOutcome =
  | { readonly kind: 'mailed'; readonly expiresAt: Date }
  | ({ readonly kind: 'link' } & ToldLink)
  | { readonly kind: 'closed'; readonly reason: ClosedReason | 'limited' }

/** Who invites. `mayImpersonate`: the caller may act for users, so it may be told a link to an account in use. */
export type Inviter = { readonly by: Actor; readonly roles: readonly Role[]; readonly mayImpersonate: boolean }

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls' | 'sealing' | 'config'>

/**
 * Invites a user with a welcome link, which replaces an earlier one. It is mailed if there is a mail server and the
 * user has an address, else returned. A link to an account in use that is returned is recorded as an impersonation.
 *
 * @param mail The mail in the language of the user.
 */
export async function inviteUser(
  needs: Needs,
  user: UserRef,
  inviter: Inviter,
  mail: MailText,
): Promise<InviteOutcome> {
  const { store, clock, sealing } = needs
  const tenant = await findTenantOf(needs, user.tenantId)
  const found = await store.single(user.tenantId, (tx) => findSignInUser(tx, user.userId))
  if (tenant === null || found === null) return { kind: 'closed', reason: 'inactive' }
  const { link, told } = makeLink(needs, user, 'welcome')
  const now = clock.now()
  const to = found.email
  if (needs.config.smtpUrl === null || to === null) {
    const reason = await store.inTenant(tenant.id, (tx) => storeToldLink(tx, link, inviter, now))
    return reason === null ? { kind: 'link', ...told } : { kind: 'closed', reason }
  }
  const filled = fillMail(mail, { link: told.url, organisation: tenant.name, username: found.username })
  const sealed = await sealMail(sealing, tenant.id, { ...filled, to })
  const allowance = await mailAllowance(sealing, tenant.id, to)
  return store.inTenant(tenant.id, async (tx): Promise<InviteOutcome> => {
    const maker = { way: 'mailed_link', by: inviter.by, makerRoles: inviter.roles } as const
    const reason = await storeLink(tx, link, maker, now, () => admitMail(tx, allowance, now))
    if (reason !== null) return { kind: 'closed', reason }
    await enqueue(tx, sendMailJob, sealed, { now })
    return { kind: 'mailed', expiresAt: link.expiresAt }
  })
}

async function storeToldLink(tx: TenantTx, link: MadeLink, { by, roles, mayImpersonate }: Inviter, now: Date) {
  const facts = await lockFacts(tx, link.userId)
  const isInUse = facts !== null && closedReason('told_link', facts, { emailFolded: facts.emailFolded }) === 'in_use'
  const way = isInUse && mayImpersonate ? 'impersonated_link' : 'told_link'
  return storeLink(tx, link, { way, by, makerRoles: roles }, now)
}
