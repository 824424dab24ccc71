import type { UserId } from '../../caller.ts'
import { sealedJson } from '../../keys/sealed-column.ts'

/** A browser that a push service reaches at an address. Secret: anybody with these can address the browser. */
export type PushTarget = {
  readonly endpoint: string
  /** As the browser states them, in base64url. */
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

/** One browser of a user to which messages are sent. */
export type PushSubscription = {
  readonly id: string
  readonly sealedTarget: Buffer
  readonly language: string
  readonly createdAt: Date
  /** When the last message was accepted by the push service. */
  readonly sentAt: Date | null
}

/** A subscription to store. `endpointHash`: SHA-256. */
export type NewPushSubscription = Omit<PushSubscription, 'sentAt'> & {
  readonly userId: UserId
  readonly endpointHash: Buffer
}

/** Seals endpoint and keys. */
export const { seal: sealTarget, open: openTarget } = sealedJson<PushTarget>(
  'wallet_push_subscription',
  'sealed_target',
)
