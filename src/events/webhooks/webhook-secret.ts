import type { TenantId } from '../../caller.ts'
import { hmacSha256 } from '../../crypto/digest.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { SealedPlace } from '../../keys/sealing.ts'

const SECRET_BYTES = 32

/** Returns a new signing secret: its bytes, and the text that is shown to the tenant. */
export function newWebhookSecret(): { readonly bytes: Buffer; readonly text: string } {
  const bytes = randomBytes(SECRET_BYTES)
  return { bytes, text: `whsec_${bytes.toString('base64')}` }
}

/** Returns the place that the seal of a secret is bound to. */
export function webhookSecretPlace(tenantId: TenantId, id: string): SealedPlace {
  return { tenantId, table: 'webhook_secret', column: 'sealed', row: id }
}

/**
 * Returns the headers that identify, date and sign a message.
 *
 * @param secrets Every secret that is valid now; a receiver accepts the message if one signature is valid.
 * @param sentAt The time stamp, in whole seconds.
 * @see [Standard Webhooks, Signature scheme](https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme)
 */
export function webhookHeaders(id: string, body: string, secrets: readonly Uint8Array[], sentAt: Date) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const signed = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((one) => `v1,${hmacSha256(one, signed).toString('base64')}`).join(' '),
  }
}
