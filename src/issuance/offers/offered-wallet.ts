import { makeLink, storeLink } from '../../authorization/sign-in/links/one-time-link.ts'
import type { UserId } from '../../caller.ts'
import { derivedId } from '../../crypto/derived-id.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { policyOf } from '../../directory/tenants/tenant-policy.ts'
import { createNamedUser, findSignInUser } from '../../directory/users/sign-in-users.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { timeOfId } from '../../store/row-id.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'urls'>

/** Letters and figures that nobody mistakes for each other. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const NAME_LETTERS = 8

/**
 * `link`: opens the account that was made for whoever holds the offer. `known`: that account has an owner already, who
 * signs in.
 */
type OfferedWallet =
  | { readonly kind: 'link'; readonly url: string; readonly username: string }
  | { readonly kind: 'known'; readonly username: string }

/**
 * Makes an account for a person who was offered a credential and has no wallet, and a link by which they choose how to
 * sign in. An offer makes one account, however often it is asked, so that nobody fills a directory with it. It has a
 * name of chance: nobody takes the name of another person.
 *
 * @param id Of the issuance. That its offer can be taken is NOT checked here.
 * @throws Fault `state.invalid` if the organisation adds its users itself
 */
export async function makeOfferedWallet(needs: Needs, tenant: Tenant, id: string, by: Actor): Promise<OfferedWallet> {
  if (!policyOf(tenant).holding.makesWallets) throw refused()
  const userId = derivedId(timeOfId(id), `wallet of an offer ${tenant.id} ${id}`) as UserId
  const { link, told } = makeLink(needs, { tenantId: tenant.id, userId }, 'welcome')
  const now = needs.clock.now()
  return needs.store.inTenant(tenant.id, async (tx) => {
    await createNamedUser(tx, userId, nameOfChance(), by, now)
    const user = await findSignInUser(tx, userId)
    // It was disabled or deleted: this offer makes no other one.
    if (user === null) throw refused()
    const closed = await storeLink(tx, link, { way: 'told_link', by, makerRoles: [] }, now)
    return closed === null
      ? { kind: 'link', url: told.url, username: user.username }
      : { kind: 'known', username: user.username }
  })
}

function refused(): Fault {
  return new Fault('state.invalid', { detail: 'This organisation makes no wallet for this offer.' })
}

function nameOfChance(): string {
  const letters = [...randomBytes(NAME_LETTERS)].map((byte) => LETTERS.charAt(byte % LETTERS.length)).join('')
  return `wallet-${letters.slice(0, NAME_LETTERS / 2)}-${letters.slice(NAME_LETTERS / 2)}`
}
