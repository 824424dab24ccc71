import { lockFacts } from '../../../directory/accounts/account-facts.ts'
import { setOpenedByToldLink, setVerifiedEmail } from '../../../directory/users/sign-in-users.ts'
import { record } from '../../../events/audit/record.ts'
import { readBearerSecret } from '../../../keys/bearer-secret.ts'
import type { Platform } from '../../../platform.ts'
import type { TenantTx } from '../../../store/store.ts'
import { closedReason } from '../../acting/ways.ts'
import { type Browser, completeSignIn, type SignedIn } from '../complete-sign-in.ts'
import { deleteLinks, findLinkRow, type LinkRow, spendLink } from '../one-time-link-store.ts'
import type { PasswordFinding } from '../passwords/check-password.ts'
import { findingOf, hashNewPassword, storePassword } from '../passwords/set-password.ts'
import { actorOf, type Visit } from '../visit.ts'
import { findLink } from './one-time-link.ts'

/** `invalid`: the link is unknown, used or expired. `weak`: the link can still be used with another password. */
type RedeemOutcome =
  | SignedIn
  | { readonly kind: 'invalid' }
  | { readonly kind: 'weak'; readonly finding: PasswordFinding }

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls' | 'sealing'>

/**
 * Uses a one-time link to set a password, and signs the person in. Every other session and link of the person ends. Of
 * two concurrent requests, in whatever process, one succeeds.
 *
 * @throws Fault `request.rate_limited` when too many passwords are being hashed
 */
export async function redeemWithPassword(
  needs: Needs,
  { token, password }: { readonly token: string; readonly password: string },
  browser: Browser,
): Promise<RedeemOutcome> {
  const open = await findLink(needs, token)
  if (open === null) return { kind: 'invalid' }
  const finding = findingOf(password, open.user, open.tenant)
  if (finding !== null) return { kind: 'weak', finding }
  const hash = await hashNewPassword(needs, open.tenant.id, password)
  const now = needs.clock.now()
  const user = { tenantId: open.tenant.id, userId: open.userId }
  const isSet = await needs.store.inTenant(open.tenant.id, async (tx) => {
    if ((await useLink(tx, token, browser.visit, now)) === null) return false
    return storePassword(tx, open.userId, hash, actorOf(open.userId, browser.visit), now)
  })
  if (!isSet) return { kind: 'invalid' }
  return (await completeSignIn(needs, user, ['pwd'], browser)) ?? { kind: 'invalid' }
}

/**
 * Uses a link in the caller's transaction, and ends the other links of its user.
 *
 * @returns null if it is unknown, used or expired, or its way is closed now; the link is not used then
 */
export async function useLink(tx: TenantTx, token: string, visit: Visit, now: Date): Promise<LinkRow | null> {
  const secret = readBearerSecret(token)
  const found = secret === null ? null : await findLinkRow(tx, secret.id, secret.hash, now)
  if (secret === null || found === null) return null
  const facts = await lockFacts(tx, found.userId)
  if (facts === null || closedReason(found.way, facts, found) !== null) return null
  const link = await spendLink(tx, secret.id, secret.hash, now)
  if (link === null) return null
  const { userId, purpose, way } = link
  await setOpenedByToldLink(tx, userId, way === 'told_link' || way === 'impersonated_link')
  // Who has such a link reads what is sent to the address.
  const isMailed = way === 'mailed_link' || way === 'reset_link'
  if (isMailed && link.emailFolded !== null) await setVerifiedEmail(tx, userId, link.emailFolded)
  const subject = { kind: 'user', id: userId } as const
  await deleteLinks(tx, userId)
  await record(tx, { action: 'user.link_used', subject, by: actorOf(userId, visit), detail: { purpose, way } }, now)
  return link
}
