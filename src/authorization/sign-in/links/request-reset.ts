import { Type } from 'typebox'
import { readOwnJson } from '../../../crypto/json.ts'
import { findTenant, findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import { findPasswordHolders, findSignInUser } from '../../../directory/users/sign-in-users.ts'
import { enqueue, job } from '../../../jobs/job.ts'
import type { Platform } from '../../../platform.ts'
import { platformTenantId } from '../../../store/store.ts'
import { admitMail, fillMail, type MailText, mailAllowance } from '../mail/mail.ts'
import { sealMail, sendMailJob } from '../mail/send-mail.ts'
import type { UserRef, Visit } from '../visit.ts'
import { makeLink, storeLink } from './one-time-link.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls' | 'sealing' | 'config' | 'rateLimiter'>

const NAME_CHARS_MAX = 320
/** Accounts of one name that get a mail; the oldest ones. */
const ACCOUNTS_MAX = 20

/**
 * What a person asks: `name` is a username or e-mail address; `tenantSlug` null: in all organisations. `mail`: in their
 * language.
 */
type ResetRequest = { readonly name: string; readonly tenantSlug: string | null; readonly mail: MailText }

/**
 * Asks for a link to set a new password. It returns nothing and does the same for every name: a job finds the people
 * and mails them. Without a mail server it does nothing.
 *
 * @throws Fault `request.rate_limited` by network
 */
export async function requestReset(needs: Needs, request: ResetRequest, { ip }: Visit): Promise<void> {
  const { store, clock, sealing, rateLimiter } = needs
  rateLimiter.admitAddress('authorization.resets_of_network', ip, clock.now())
  rateLimiter.countAddress('authorization.resets_of_network', ip, clock.now())
  if (needs.config.smtpUrl === null) return
  const cut = {
    ...request,
    name: request.name.slice(0, NAME_CHARS_MAX),
    tenantSlug: request.tenantSlug?.slice(0, 64) ?? null,
  }
  const sealed = (await sealing.seal(PLACE, JSON.stringify(cut))).toString('base64url')
  await store.inTenant(platformTenantId, (tx) => enqueue(tx, sendResetJob, { sealed }, { now: clock.now() }))
}

const PLACE = { tenantId: platformTenantId, table: 'job', column: 'reset', row: '' }

/**
 * Mails a reset link to each user with a password and an address whom the name means. A second run replaces the links
 * of the first.
 */
export const sendResetJob = job({
  name: 'authorization.send-reset',
  payload: Type.Object({ sealed: Type.String() }, { additionalProperties: false }),
  attemptsMax: 5,
  timeoutSeconds: 60,
  run: async (platform, { sealed }) => {
    const opened = await platform.sealing.open(PLACE, Buffer.from(sealed, 'base64url'))
    // The seal proves that requestReset wrote it.
    const { name, tenantSlug, mail } = readOwnJson(opened) as ResetRequest
    const tenant = tenantSlug === null ? null : await findTenant(platform, tenantSlug)
    if (tenantSlug !== null && tenant === null) return
    const holders = await findPasswordHolders(platform, name, tenant?.id ?? null, ACCOUNTS_MAX)
    for (const holder of holders) await sendReset(platform, holder, mail)
  },
})

async function sendReset(needs: Needs, user: UserRef, mail: MailText): Promise<void> {
  const { store, clock, sealing } = needs
  const tenant = await findTenantOf(needs, user.tenantId)
  const found = await store.single(user.tenantId, (tx) => findSignInUser(tx, user.userId))
  const to = found?.email ?? null
  if (tenant === null || found === null || to === null) return
  const { link, told } = makeLink(needs, user, 'reset')
  const filled = fillMail(mail, { link: told.url, organisation: tenant.name, username: found.username })
  const sealed = await sealMail(sealing, tenant.id, { ...filled, to })
  const allowance = await mailAllowance(sealing, tenant.id, to)
  const now = clock.now()
  await store.inTenant(tenant.id, async (tx) => {
    const maker = { way: 'reset_link', by: 'system', makerRoles: null } as const
    // Mails are counted before the link is replaced, so that no caller can end the links of a person without end.
    if ((await storeLink(tx, link, maker, now, () => admitMail(tx, allowance, now))) !== null) return
    await enqueue(tx, sendMailJob, sealed, { now })
  })
}
