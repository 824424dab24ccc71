import { Fault, faultOf } from '../../fault.ts'
import { CLOCK_SKEW_SECONDS, isNumericDate } from '../numeric-date.ts'

/** The claims of a token besides its list, from JWT or CWT. */
type ListClaims = { readonly sub: unknown; readonly iat: unknown; readonly exp: unknown; readonly ttl: unknown }

/** The times of a token whose claims are valid. */
export type ListTimes = {
  readonly issuedAt: Date
  readonly expiresAt: Date | null
  readonly ttlSeconds: number | null
}

/**
 * Checks the claims of a Status List Token besides the list.
 *
 * @param uri The one in the credential.
 * @throws Fault `status_list.invalid`
 * @see [Token Status List, 5](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-5) and [8.3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-8.3)
 */
export function checkListClaims({ sub, iat, exp, ttl }: ListClaims, uri: string, now: Date): ListTimes {
  // Token Status List 8.3: sub MUST be equal to the uri of the referenced token.
  if (sub !== uri) throw invalidStatusList('The status list token is for another URI.')
  const seconds = now.getTime() / 1000
  if (!isNumericDate(iat) || iat > seconds + CLOCK_SKEW_SECONDS)
    throw invalidStatusList('The status list token has no iat, or one in the future.')
  if (exp !== undefined && (!isNumericDate(exp) || exp <= seconds - CLOCK_SKEW_SECONDS))
    throw invalidStatusList('The status list token has expired.')
  // Token Status List 5.1: ttl is a positive number.
  if (ttl !== undefined && !(typeof ttl === 'number' && ttl > 0))
    throw invalidStatusList('ttl of the status list token is not a positive number.')
  return {
    issuedAt: new Date(iat * 1000),
    expiresAt: exp === undefined ? null : new Date(exp * 1000),
    ttlSeconds: ttl ?? null,
  }
}

/** Returns the fault for an unusable status list: the status of the credential is unknown. */
export const invalidStatusList = faultOf('status_list.invalid')

/** Returns the fault for a list of which the header is refused, or that is not signed with the expected key. */
export function refusedSignature({ code, message }: { readonly code: string; readonly message: string }): Fault {
  const isOfAnother = code === 'key' || code === 'signature'
  return new Fault(isOfAnother ? 'status_list.untrusted' : 'status_list.invalid', { detail: message })
}
