import type { PublicEvent } from '../../contract/events/vocabulary.ts'
import { Fault, type Violation } from '../../fault.ts'
import { type AddressPolicy, vettedUrl } from '../../http/outbound/vetted-address.ts'

/** Why an endpoint is disabled: every attempt failed for days, the receiver responded with 410, or a PATCH. */
export type DisabledReason = 'failing' | 'gone' | 'manual'

/** An address of a tenant that receives events. */
export type WebhookEndpoint = {
  readonly id: string
  readonly url: string
  /** Empty: every type. */
  readonly filterTypes: readonly PublicEvent[]
  readonly status: 'active' | 'disabled'
  readonly disabledReason: DisabledReason | null
  readonly disabledAt: Date | null
  /** The time since which every attempt has failed; null after a successful one. */
  readonly failingSince: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Endpoints of a tenant at most. */
export const ENDPOINTS_MAX = 20

/**
 * Validates the URL of a receiver by the syntax rules of the outbound client; the addresses that its name resolves to
 * are checked with each call. The public address of this server is refused.
 *
 * @throws Fault `request.invalid`
 */
export function readWebhookUrl(text: string, config: AddressPolicy & { readonly publicUrl: string }): string {
  const url = vetted(text, config)
  if (url.hash !== '') throw unusable('The URL has a fragment.')
  if (url.origin === config.publicUrl) throw unusable('The URL is an address of this server.')
  return url.href
}

/** Returns the violations of the URL of a receiver, if it is given. */
export function webhookUrlViolations(
  { url }: { readonly url?: string | undefined },
  config: Parameters<typeof readWebhookUrl>[1],
): readonly Violation[] {
  try {
    if (url !== undefined) readWebhookUrl(url, config)
    return []
  } catch (error) {
    if (error instanceof Fault && error.violations !== undefined) return error.violations
    throw error
  }
}

function vetted(text: string, policy: AddressPolicy): URL {
  try {
    return vettedUrl(text, policy)
  } catch (error) {
    if (error instanceof Fault && error.code === 'upstream.refused') throw unusable(error.detail ?? '')
    throw error
  }
}

function unusable(detail: string): Fault {
  return new Fault('request.invalid', { violations: [{ detail, pointer: '/url' }] })
}
