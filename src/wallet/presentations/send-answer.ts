import { Fault } from '../../fault.ts'
import type { ForTenant, Platform } from '../../platform.ts'
import { readRedirect } from '../../protocols/openid4vp/response.ts'
import {
  bytesMax,
  isBusy,
  isOk,
  jsonOf,
  requestRuleOf,
  retryAfter,
  upstreamOf,
  upstreamRefusal,
} from '../credentials/upstream.ts'

/**
 * Posts an answer to the verifier. Redirects are not followed.
 *
 * @param body The form, with `vp_token` or `error`.
 * @returns the address for the holder's browser, or null. It is never fetched here [SEC-54].
 * @throws Fault `presentation.undelivered` with the verifier's own error, `presentation.closed` if a verifier of this
 *   server refused it unread, `presentation.postponed` for 503 and 429, `upstream.*`
 * @see [OpenID4VP 1.0, 8.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-response-mode-direct_post)
 */
export async function sendAnswer(
  { fetch, urls, tenantId }: Pick<Platform, 'fetch' | 'urls'> & ForTenant,
  responseUri: string,
  body: string,
): Promise<string | null> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  const request = { method: 'POST', headers, body, accept: [], bytesMax: bytesMax.verifierAnswer } as const
  const answer = await fetch(tenantId, responseUri, request)
  if (isBusy(answer))
    throw new Fault('presentation.postponed', { meta: { upstream: upstreamOf(answer), ...retryAfter(answer) } })
  if (!isOk(answer)) {
    const ended = requestRuleOf(answer)
    // This server says so only of a response that it has not read.
    if (upstreamOf(answer).requestEnd !== undefined && responseUri.startsWith(`${urls.publicUrl}/`))
      throw new Fault('presentation.closed', { meta: { ...ended, upstream: upstreamOf(answer) } })
    throw upstreamRefusal(answer, 'presentation.undelivered', 'The verifier did not accept the answer.', ended)
  }
  // [VP-S4] a JSON object; anything else has no address, but the answer has arrived
  if (answer.contentType !== 'application/json') return null
  try {
    return readRedirect(jsonOf(answer, 'presentation.undelivered'))
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}
