import { isJsonObject, parseJson } from '../../crypto/json.ts'

/**
 * What the link of an offer tells besides the document, as our issuer says it. `taken`: a wallet redeemed it. `locked`: the transaction code was
 * wrong too often. `canceled`: its issuer withdrew it. `ended`: one of these, it is not known which. `unknown`: there never was such an offer.
 */
export type OfferState = 'taken' | 'locked' | 'canceled' | 'expired' | 'ended' | 'unknown'

const states: ReadonlySet<unknown> = new Set(['taken', 'locked', 'canceled', 'expired', 'ended'] satisfies OfferState[])

/** Reads the state from the answer of an offer's link, of our issuer: a header of the document, or a member of the error. null: it can be taken. */
export function readOfferState({
  status,
  headers,
  body,
}: {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}): OfferState | null {
  if (status === 200) return headers['offer-state'] === 'taken' ? 'taken' : null
  if (status !== 404) return null
  const stated = memberOf(body)
  return isState(stated) ? stated : 'unknown'
}

function isState(value: unknown): value is OfferState {
  return states.has(value)
}

function memberOf(body: Uint8Array): unknown {
  try {
    const value = parseJson(body)
    return isJsonObject(value) ? value.offer_state : undefined
  } catch {
    return undefined
  }
}
