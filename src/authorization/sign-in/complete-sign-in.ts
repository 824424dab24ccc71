import type { Platform } from '../../platform.ts'
import { deviceCookie, findKnownDevice } from './known-device.ts'
import { findSession, type Session, startSession } from './session.ts'
import type { UserRef, Visit } from './visit.ts'

/** A completed sign-in. `cookies`: Set-Cookie headers of the response. */
export type SignedIn = { readonly kind: 'signed-in'; readonly session: Session; readonly cookies: readonly string[] }

/** A browser that signs in: its request, and its Cookie header. */
export type Browser = { readonly visit: Visit; readonly cookieHeader: string | undefined }

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'urls' | 'sealing'>

/**
 * Starts the session of a user who has authenticated, and marks the browser as known to the user. It replaces the
 * session that the browser has: see {@link startSession}.
 *
 * @returns null if the user or the tenant is disabled or deleted.
 */
export async function completeSignIn(
  needs: Needs,
  user: UserRef,
  methods: readonly string[],
  { visit, cookieHeader }: Browser,
): Promise<SignedIn | null> {
  const current = await findSession(needs, cookieHeader)
  const started = await startSession(needs, user, methods, visit, current)
  if (started === null) return null
  const device = await deviceCookie(needs, user, await findKnownDevice(needs, cookieHeader))
  return { kind: 'signed-in', session: started.session, cookies: [started.cookie, device] }
}
