import type { TenantId } from '../../caller.ts'
import { hmacSha256 } from '../../crypto/digest.ts'
import { randomBytes } from '../../crypto/random.ts'
import type { SealedPlace } from '../../keys/sealing.ts'

const SECRET_BYTES = 32

/** A new signing secret: the bytes, and the form in which the receiver is told them. */
export function newWebhookSecret(): { readonly bytes: Buffer; readonly text: string } {
  const bytes = randomBytes(SECRET_BYTES)
  return { bytes, text: `whsec_${bytes.toString('base64')}` }
}

/** Where the seal of a secret is bound to. */
export function webhookSecretPlace(tenantId: TenantId, id: string): SealedPlace {
  return { tenantId, table: 'webhook_secret', column: 'sealed', row: id }
}

/**
 * The headers that tell a receiver from whom a message is and when it was sent.
 *
 * @param secrets Every secret that is valid now; a receiver accepts the message if one signature is right.
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
