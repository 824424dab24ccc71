import { equalInConstantTime, hmacSha256 } from '../../../crypto/digest.ts'
import type { Platform } from '../../../platform.ts'
import type { Parameters } from '../../../protocols/oauth2/authorization-request.ts'
import { platformTenantId } from '../../../store/store.ts'

/** How long the user may take to sign in again. */
const TTL_MS = 3_600_000
const FORM = /^(\d{13,15})\.([A-Za-z0-9_-]{43})$/

type Needs = Pick<Platform, 'sealing' | 'clock'>

/**
 * Returns when this authorization request first arrived, from the parameter that its way through the sign-in carries;
 * null before that. A sign-in or consent that is newer is the one that the request asked for. The MAC prevents that an
 * older time, or that of another request, skips what this request asks for.
 */
export async function readSince(needs: Needs, query: Parameters): Promise<Date | null> {
  const [, ms = '', mac = ''] = FORM.exec(query.since ?? '') ?? []
  if (ms === '' || !equalInConstantTime(mac, await macOf(needs, query, ms))) return null
  return needs.clock.now().getTime() - Number(ms) > TTL_MS ? null : new Date(Number(ms))
}

/** Returns the parameters with which the request returns: its own, and the one that {@link readSince} reads. */
export async function withSince(needs: Needs, query: Parameters, since: Date): Promise<Parameters> {
  const ms = String(since.getTime())
  return { ...ownOf(query), since: `${ms}.${await macOf(needs, query, ms)}` }
}

/** The parameters that the client sent: without those that pages of ours add. */
function ownOf({ since: _, consent: __, ...own }: Parameters): Parameters {
  return own
}

async function macOf({ sealing }: Needs, query: Parameters, ms: string): Promise<string> {
  const key = await sealing.derive(platformTenantId, 'authorization-since')
  const request = Object.entries(ownOf(query)).sort(([one], [other]) => (one < other ? -1 : 1))
  return hmacSha256(key, JSON.stringify([ms, request])).toString('base64url')
}
