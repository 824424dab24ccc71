import { equalInConstantTime, hmacSha256 } from '../../../crypto/digest.ts'
import type { Platform } from '../../../platform.ts'
import { platformTenantId } from '../../../store/store.ts'

/** How long the user may take to sign in again. */
const TTL_MS = 3_600_000
const FORM = /^(\d{13,15})\.([A-Za-z0-9_-]{43})$/

type Needs = Pick<Platform, 'sealing' | 'clock'>

/**
 * Returns when this authorization request first arrived, from the parameter that its way through the sign-in carries; null before that.
 * A sign-in or consent that is newer is the one that the request asked for. The MAC prevents that a client or user sets an older time, and so
 * skips what the request asks for.
 */
export async function readSince(needs: Needs, clientId: string, text: string | undefined): Promise<Date | null> {
  const [, ms = '', mac = ''] = FORM.exec(text ?? '') ?? []
  if (ms === '' || !equalInConstantTime(mac, await macOf(needs, clientId, ms))) return null
  return needs.clock.now().getTime() - Number(ms) > TTL_MS ? null : new Date(Number(ms))
}

/** Returns the parameter that {@link readSince} reads. */
export async function makeSince(needs: Needs, clientId: string, since: Date): Promise<string> {
  const ms = String(since.getTime())
  return `${ms}.${await macOf(needs, clientId, ms)}`
}

async function macOf({ sealing }: Needs, clientId: string, ms: string): Promise<string> {
  const key = await sealing.derive(platformTenantId, 'authorization-since')
  return hmacSha256(key, `${ms} ${clientId}`).toString('base64url')
}
