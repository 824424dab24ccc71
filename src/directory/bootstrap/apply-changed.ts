import { hmacSha256 } from '../../crypto/digest.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { findAppliedDigest, setAppliedDigest } from './applied-store.ts'
import type { Bootstrap } from './bootstrap-file.ts'

/**
 * Applies a bootstrap file unless it is, with its secrets, the one that was applied last: checking the secret of each
 * client and the password of each user takes a slow hash, so a start would take the longer the more of them there are.
 *
 * @param apply Applies it, and throws if it cannot be applied as a whole.
 * @param always Whether it is applied also then.
 * @returns whether it was applied
 */
export async function applyChanged(
  { store, sealing }: Pick<Platform, 'store' | 'sealing'>,
  bootstrap: Bootstrap,
  apply: () => Promise<void>,
  always = false,
): Promise<boolean> {
  const key = await sealing.derive(platformTenantId, 'bootstrap')
  const digest = hmacSha256(key, JSON.stringify(bootstrap)).toString('base64url')
  const reason = 'the bootstrap file that was applied last'
  if (!always && (await store.across(reason, findAppliedDigest)) === digest) return false
  // What is applied in part is like no file.
  await store.across(reason, (tx) => setAppliedDigest(tx, null))
  await apply()
  await store.across(reason, (tx) => setAppliedDigest(tx, digest))
  return true
}
