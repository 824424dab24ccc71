import type { Platform } from '../../../platform.ts'
import { type Browser, completeSignIn, type SignedIn } from '../complete-sign-in.ts'
import {
  type CreatedPasskey,
  offerPasskey,
  type PasskeyCreation,
  storePasskey,
  verifyPasskey,
} from '../passkeys/register-passkey.ts'
import { spendState } from '../sealed-state.ts'
import { findLink } from './one-time-link.ts'
import { useLink } from './redeem-link.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls' | 'sealing'>

/**
 * Starts the registration of a passkey by a one-time link, without using it.
 *
 * @returns null if the link is unknown, used or expired
 */
export async function beginLinkPasskey(needs: Needs, token: string): Promise<PasskeyCreation | null> {
  const open = await findLink(needs, token)
  return open === null ? null : offerPasskey(needs, { tenantId: open.tenant.id, userId: open.userId })
}

/**
 * Uses a one-time link to register a passkey, and signs the person in. The link stays as it is if the passkey cannot be
 * registered.
 *
 * @returns `invalid` if the link or the passkey is. Of two concurrent requests with one link one succeeds.
 */
export async function redeemWithPasskey(
  needs: Needs,
  { token, ...created }: CreatedPasskey & { readonly token: string },
  browser: Browser,
): Promise<SignedIn | { readonly kind: 'invalid' }> {
  const open = await findLink(needs, token)
  if (open === null) return { kind: 'invalid' }
  const user = { tenantId: open.tenant.id, userId: open.userId }
  const passkey = await verifyPasskey(needs, user, created)
  if (passkey === null || !(await spendState(needs, passkey.state))) return { kind: 'invalid' }
  const now = needs.clock.now()
  const isStored = await needs.store
    .inTenant(user.tenantId, async (tx) => {
      if ((await useLink(tx, token, browser.visit, now)) === null) return false
      // Thrown, so that the link is not used.
      if (!(await storePasskey(tx, passkey, browser.visit, now))) throw new PasskeyRefused()
      return true
    })
    .catch((error: unknown) => {
      if (error instanceof PasskeyRefused) return false
      throw error
    })
  const methods = [passkey.isSynced ? 'swk' : 'hwk', 'user']
  return (isStored ? await completeSignIn(needs, user, methods, browser) : null) ?? { kind: 'invalid' }
}

class PasskeyRefused extends Error {}
