import { isJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { isText } from '../shape.ts'

/** What a wallet tells about a credential that it received. */
export type NotificationEvent = 'credential_accepted' | 'credential_failure' | 'credential_deleted'

/** A notification. The same one may come again. [VCI-X2] */
export type IssuerNotification = { readonly notificationId: string; readonly event: NotificationEvent }

const events: ReadonlySet<unknown> = new Set<NotificationEvent>([
  'credential_accepted',
  'credential_failure',
  'credential_deleted',
])

/**
 * Reads the body at the notification endpoint. Unknown members are ignored; whether the id is known is the caller's to check.
 *
 * @throws Fault `notification.invalid`
 * @see [OpenID4VCI 1.0, 11.1](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-notification-request)
 */
export function readNotification(body: unknown): IssuerNotification {
  // [VCI-X3]
  if (!isJsonObject(body)) throw new Fault('notification.invalid', { detail: 'The notification is not a JSON object.' })
  const { notification_id: notificationId, event } = body
  if (!isText(notificationId, 1024)) throw new Fault('notification.invalid', { detail: 'notification_id is missing.' })
  if (!isEvent(event))
    throw new Fault('notification.invalid', { detail: 'event is not one of the three that there are.' })
  return { notificationId, event }
}

/** The body that a wallet posts to the notification endpoint. [W-R9] */
export function buildNotification({ notificationId, event }: IssuerNotification) {
  return { notification_id: notificationId, event }
}

function isEvent(value: unknown): value is NotificationEvent {
  return events.has(value)
}
