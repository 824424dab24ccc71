import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { findSignInUser } from '../../../directory/users/sign-in-users.ts'
import type { Actor } from '../../../events/audit/entry.ts'
import { enqueue } from '../../../jobs/job.ts'
import type { Platform } from '../../../platform.ts'
import { admitMail, fillMail, type MailText, mailAllowance } from '../mail/mail.ts'
import { sealMail, sendMailJob } from '../mail/send-mail.ts'
import { canSignIn, isMailable } from '../providers/can-sign-in.ts'
import type { UserRef } from '../visit.ts'
import { makeLink, storeLink, type ToldLink } from './one-time-link.ts'

/** `link`: to be shown once to the person who invited, since there is no mail server or no address. `limited`: too many mails were sent. */
type InviteOutcome =
  | { readonly kind: 'mailed'; readonly expiresAt: Date }
  | ({ readonly kind: 'link' } & ToldLink)
  | { readonly kind: 'limited' }
  /** The user signs in already, and the link could only be told to the person who invites. */
  | { readonly kind: 'signs_in' }
  /** The user can sign in, and has not confirmed the address that a caller set. */
  | { readonly kind: 'new_address' }
  | { readonly kind: 'unknown' }

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls' | 'sealing' | 'config'>

/**
 * Invites a user with a welcome link, which replaces an earlier one. It is mailed if there is a mail server and the user has an address, else
 * returned.
 *
 * @param by The person or client that invites.
 * @param mail The mail in the language of the user.
 */
export async function inviteUser(needs: Needs, user: UserRef, by: Actor, mail: MailText): Promise<InviteOutcome> {
  const { store, clock, sealing } = needs
  const tenant = await findTenantOf(needs, user.tenantId)
  const found = await store.single(user.tenantId, (tx) => findSignInUser(tx, user.userId))
  if (tenant === null || found === null) return { kind: 'unknown' }
  const { link, told } = makeLink(needs, user, 'welcome')
  const now = clock.now()
  const to = found.email
  if (needs.config.smtpUrl === null || to === null) {
    // The link opens the wallet of a user who uses it already, and the one who invites has no right to that.
    const hasPassword = found.passwordHash !== null
    const isUsed = await store.inTenant(tenant.id, (tx) => canSignIn(tx, [{ userId: user.userId, hasPassword }]))
    if (isUsed) return { kind: 'signs_in' }
    const isStored = await store.inTenant(tenant.id, (tx) => storeLink(tx, { ...link, isTold: true }, by, now))
    return isStored ? { kind: 'link', ...told } : { kind: 'unknown' }
  }
  const filled = fillMail(mail, { link: told.url, organisation: tenant.name, username: found.username })
  const sealed = await sealMail(sealing, tenant.id, { ...filled, to })
  const allowance = await mailAllowance(sealing, tenant.id, to)
  return store.inTenant(tenant.id, async (tx): Promise<InviteOutcome> => {
    if (!(await isMailable(tx, found))) return { kind: 'new_address' }
    if (!(await admitMail(tx, allowance, now))) return { kind: 'limited' }
    if (!(await storeLink(tx, link, by, now))) return { kind: 'unknown' }
    await enqueue(tx, sendMailJob, sealed, { now })
    return { kind: 'mailed', expiresAt: link.expiresAt }
  })
}
