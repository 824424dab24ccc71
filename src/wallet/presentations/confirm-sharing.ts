import { readIdToken } from '../../authorization/server/openid/id-token.ts'
import type { Caller, TenantId } from '../../caller.ts'
import type { AnswerBody, Confirmation, ConfirmationBody } from '../../contract/wallet/presentations.ts'
import { equalInConstantTime, hmacSha256 } from '../../crypto/digest.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { isSame } from '../../http/routes/entity-tag.ts'
import type { Platform } from '../../platform.ts'
import { type OpenPresentation, openPresentation } from './open-presentation.ts'
import { previewPresentation } from './preview-presentation.ts'

/** How long the person may take to sign in again and come back. */
const TTL_SECONDS = 600
const FORM = /^(\d{13,15})\.([A-Za-z0-9_-]{43})$/

/** Whether the organisation wants people to sign in again before they share. Up to five seconds old. */
export async function needsConfirmation(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  tenantId: TenantId,
): Promise<boolean> {
  return (await findTenantOf(needs, tenantId))?.settings.sharingConfirmation === 'sign-in'
}

/**
 * Starts the confirmation of one answer: returns the nonce of the authorization request with which the person signs in
 * again. The nonce is a MAC over the person, the presentation, what was shown of it, the chosen credentials and the
 * time, so nothing is stored, and an ID token with it confirms that answer alone.
 *
 * @param ifMatch The tag of what the holder was shown.
 * @throws Fault `holder.missing`, `resource.unknown`, `resource.changed`, `state.invalid`
 */
export async function startConfirmation(
  platform: Platform,
  caller: Caller,
  id: string,
  { selectedCredentials }: ConfirmationBody,
  ifMatch?: string,
): Promise<Confirmation> {
  const open = await openPresentation(platform, caller, id)
  const { etag } = await previewPresentation(platform, caller, open.row, open.view)
  if (ifMatch !== undefined && !isSame(ifMatch, etag)) throw new Fault('resource.changed')
  const ms = platform.clock.now().getTime()
  const nonce = `${ms}.${await macOf(open, String(ms), etag, selectedCredentials)}`
  return { nonce, expiresAt: new Date(ms + TTL_SECONDS * 1000).toISOString() }
}

/**
 * Refuses to share what the person has not confirmed, where the organisation wants that.
 *
 * @throws Fault `presentation.confirmation_required` unless `confirmation` is an unexpired ID token of ours for the
 *   same person, with a nonce of {@link startConfirmation} for this answer, from an authentication after that nonce was
 *   made. A session at a provider (`fed` alone) does not count: the provider has to say that it authenticated the
 *   person for this.
 */
export async function requireConfirmation(open: OpenPresentation, answer: AnswerBody): Promise<void> {
  const { platform, caller } = open
  if (!(await needsConfirmation(platform, caller.tenantId))) return
  const problem = await findProblem(open, answer)
  if (problem !== null) throw new Fault('presentation.confirmation_required', { detail: problem })
}

async function findProblem(open: OpenPresentation, answer: AnswerBody): Promise<string | null> {
  const { platform, caller, userId, row, view } = open
  if (answer.confirmation === undefined)
    return 'The organisation wants the person to sign in again: POST …/confirmation starts that.'
  const token = await readIdToken(platform, answer.confirmation)
  if (token === null || token.userId !== userId) return 'The confirmation is not an ID token for this person.'
  const now = platform.clock.now()
  const [, ms = '', mac = ''] = FORM.exec(token.nonce ?? '') ?? []
  const { etag } = await previewPresentation(platform, caller, row, view)
  if (ms === '' || !equalInConstantTime(mac, await macOf(open, ms, etag, answer.selectedCredentials)))
    return 'The confirmation is for another answer, or the request has changed since.'
  const isLate = now.getTime() - Number(ms) > TTL_SECONDS * 1000 || !(token.expiresAt > now)
  if (isLate) return 'The confirmation has expired.'
  // `auth_time` is in whole seconds
  const isBefore = !(token.authenticatedAt.getTime() >= Math.floor(Number(ms) / 1000) * 1000)
  return isBefore || token.methods.every((one) => one === 'fed') ? 'The person has not signed in again for this.' : null
}

async function macOf(
  { platform, caller, userId, row }: OpenPresentation,
  ms: string,
  etag: string,
  selected: AnswerBody['selectedCredentials'],
): Promise<string> {
  const key = await platform.sealing.derive(caller.tenantId, 'sharing confirmation')
  const ids = selected?.map(({ credentialId }) => credentialId).toSorted() ?? null
  return hmacSha256(key, JSON.stringify([userId, row.id, etag, ids, ms])).toString('base64url')
}
