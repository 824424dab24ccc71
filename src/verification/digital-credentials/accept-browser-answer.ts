import { type Json, parseJson } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import { readBrowserAnswer } from '../../protocols/openid4vp/digital-credentials.ts'
import { openRequestOf } from '../requests/serve-request-object.ts'
import { acceptResponse, type ResponseSource } from '../responses/accept-response.ts'
import { originsOf } from './build-browser-request.ts'

/**
 * The answer of a browser. `data`: as text. `origin`: of the page that requested it, unless the browser posts the
 * answer itself.
 */
type BrowserAnswer = { readonly protocol: string; readonly data: string; readonly origin?: string }

/**
 * Accepts the answer of a browser to a request, as `acceptResponse` does that of a wallet. What the wallet signed must
 * name an origin of the request; the header `Origin` only refuses the pages of others earlier.
 *
 * @param header The header `Origin` of the request; undefined if a server forwards the answer.
 * @returns the redirect URI with a fresh response code; null if the request has none.
 * @throws Fault `presentation_response.invalid`, and those of `acceptResponse`
 * @see [OpenID4VP 1.0, A.4](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-A.4)
 */
export async function acceptBrowserAnswer(
  platform: Parameters<typeof acceptResponse>[0],
  tenant: Tenant,
  token: string,
  { protocol, data, origin: stated }: BrowserAnswer,
  { header, ...from }: Pick<ResponseSource, 'ip' | 'requestId'> & { readonly header: string | undefined },
): Promise<string | null> {
  const form = readBrowserAnswer(protocol, parsed(data))
  const origin = header ?? stated
  const origins = originsOf(platform, await openRequestOf(platform, tenant.id, token))
  // [VP-D3] compared as text
  if (origin === undefined || !origins.includes(origin)) {
    const detail = 'The answer is not for an origin of this request.'
    throw new Fault('presentation_response.invalid', { detail })
  }
  return acceptResponse(platform, tenant, token, form, { ...from, origin })
}

function parsed(data: string): Json {
  try {
    return parseJson(data)
  } catch (cause) {
    throw new Fault('presentation_response.invalid', { detail: 'data is not JSON.', cause })
  }
}
