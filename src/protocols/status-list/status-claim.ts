import { isJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { asPeerUrl, isText, type PeerPolicy } from '../shape.ts'

/** The status list and index of a credential. */
export type StatusReference = { readonly uri: string; readonly index: number }

/** Builds the `status` claim of a credential. */
export function buildStatusClaim({ uri, index }: StatusReference) {
  return { status_list: { idx: index, uri } }
}

/**
 * Returns whether a `status` claim names other mechanisms only, such as `status_assertion`. It is well-formed, but
 * cannot be evaluated here.
 *
 * @see [Token Status List, 6.1](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-6.1)
 */
export function hasOtherStatus(status: unknown): boolean {
  return isJsonObject(status) && Object.keys(status).length > 0 && !Object.hasOwn(status, 'status_list')
}

/**
 * Parses the `status` claim of a credential.
 *
 * @param status The claim; undefined if the credential has none.
 * @returns null if the credential has no status.
 * @throws Fault `status_list.invalid` if it has one that cannot be evaluated, including unknown mechanisms: fail
 *   closed.
 * @see [Token Status List, 6.2](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-6.2)
 */
export function readStatusClaim(status: unknown, policy: PeerPolicy): StatusReference | null {
  if (status === undefined) return null
  const reference = isJsonObject(status) ? status.status_list : undefined
  // Token Status List 6.1, 8.3
  if (!isJsonObject(reference))
    throw new Fault('status_list.invalid', { detail: 'The credential has a status of an unknown kind.' })
  const { idx, uri } = reference
  if (typeof idx !== 'number' || !Number.isSafeInteger(idx) || idx < 0) {
    throw new Fault('status_list.invalid', { detail: 'The status index is not a non-negative integer.' })
  }
  if (!isText(uri) || asPeerUrl(uri, policy) === null) {
    throw new Fault('status_list.invalid', { detail: 'The status list URI is not an https URL.' })
  }
  return { uri, index: idx }
}
