import { Fault } from '../../fault.ts'
import { vettedUrl } from '../../http/outbound/vetted-address.ts'
import type { PublicEvent } from '../audit/vocabulary.ts'

/** Why nothing is sent: every attempt failed for days, the receiver said that it is gone (410), or its owner wanted it so. */
export type DisabledReason = 'failing' | 'gone' | 'manual'

/** Where a tenant wants its events sent. */
export type WebhookEndpoint = {
  readonly id: string
  readonly url: string
  /** Empty: every type. */
  readonly filterTypes: readonly PublicEvent[]
  readonly status: 'active' | 'disabled'
  readonly disabledReason: DisabledReason | null
  readonly disabledAt: Date | null
  /** Since when every attempt has failed; null after one that went well. */
  readonly failingSince: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** How many endpoints a tenant may have. */
export const ENDPOINTS_MAX = 20

/**
 * Reads the address of a receiver: what the outbound guard would refuse by its look is refused now; where its name leads is looked at
 * with each call. Our own address is refused, since nothing here takes webhooks.
 *
 * @throws Fault `request.invalid`
 * @see 9.2
 */
export function readWebhookUrl(
  text: string,
  config: { readonly isDevelopment: boolean; readonly publicUrl: string },
): string {
  const url = vetted(text, config.isDevelopment)
  if (url.hash !== '') throw unusable('It has a fragment.')
  if (url.origin === config.publicUrl) throw unusable('It is an address of this server.')
  return url.href
}

function vetted(text: string, isDevelopment: boolean): URL {
  try {
    return vettedUrl(text, isDevelopment)
  } catch (error) {
    if (error instanceof Fault && error.code === 'upstream.refused') throw unusable(error.detail ?? '')
    throw error
  }
}

function unusable(detail: string): Fault {
  return new Fault('request.invalid', { violations: [{ detail, pointer: '/url' }] })
}
