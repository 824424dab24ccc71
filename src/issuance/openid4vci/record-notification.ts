import { isJsonObject } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { nullIfRefused } from '../../store/store.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import type { PresentedToken } from '../offers/access-token.ts'
import { settleReplacements } from '../replacements/replace.ts'
import { findReported, insertReport } from './notification-store.ts'

type Origin = { readonly ip: string; readonly requestId: string }

/** [VCI-X4] After its end a token is accepted for notifications this long, because holders may consent late. */
const TOKEN_GRACE_DAYS = 30
const ID_CHARS_MAX = 200

const outcomes = {
  credential_accepted: { becomes: 'accepted', action: 'credential.accepted', about: 'credential', detail: {} },
  credential_deleted: { becomes: 'rejected', action: 'credential.rejected', about: 'credential', detail: {} },
  // The contract has no other event for a credential that did not arrive.
  credential_failure: {
    becomes: 'failed',
    action: 'openid4vc.issuance.failed',
    about: 'issuance',
    detail: { cause: 'wallet' },
  },
} as const

/**
 * Records a notification of the wallet about a credential. It may be repeated. Until the token ends, the credential can
 * be requested again, unless the holder deleted it. What an accepted credential replaces is revoked before the answer.
 *
 * @param granted The access token; null: it is not valid.
 * @throws Fault `notification.invalid`, `notification.unknown`, `token.invalid`
 * @see [OpenID4VCI 1.0, 11](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-notification-endpoint)
 */
export async function recordNotification(
  { store, clock, journal }: Pick<Platform, 'store' | 'clock' | 'journal'>,
  tenant: Tenant,
  { granted, body }: { readonly granted: PresentedToken | null; readonly body: unknown },
  from: Origin,
): Promise<void> {
  const { notificationId, outcome } = read(body)
  if (granted === null) throw new Fault('token.invalid')
  const now = clock.now()
  const tokensSince = new Date(now.getTime() - TOKEN_GRACE_DAYS * 86_400_000)
  const report = { granted, tokensSince, becomes: outcome.becomes }
  const entry = {
    action: outcome.action,
    subject: { kind: outcome.about, id: outcome.about === 'issuance' ? granted.id : credentialIdOf(granted.id) },
    by: { kind: 'wallet', ...from },
    detail: outcome.detail,
  } as const
  const isNamed = notificationId === credentialIdOf(granted.id)
  const recording = isNamed ? store.single(tenant.id, (tx) => insertReport(tx, report, entry, now)) : null
  const replaces = recording === null ? null : await nullIfRefused(recording)
  if (replaces !== null) {
    const needs = { store, clock, journal }
    if (replaces && outcome.becomes === 'accepted')
      await settleReplacements(needs, tenant.id, 'system', { ids: [granted.id] })
    return
  }
  const found = await store.single(tenant.id, (tx) => findReported(tx, report))
  if (found === null) throw new Fault('token.invalid')
  // A report that changes nothing is confirmed.
  if (!isNamed || !found.isIssued) throw new Fault('notification.unknown')
}

function read(body: unknown) {
  const { notification_id: notificationId, event } = isJsonObject(body) ? body : {}
  // [VCI-X3]
  if (typeof notificationId !== 'string' || notificationId === '' || notificationId.length > ID_CHARS_MAX) {
    throw new Fault('notification.invalid', { detail: 'notification_id is missing.' })
  }
  if (event !== 'credential_accepted' && event !== 'credential_deleted' && event !== 'credential_failure') {
    throw new Fault('notification.invalid', {
      detail: 'event must be credential_accepted, credential_deleted or credential_failure.',
    })
  }
  return { notificationId, outcome: outcomes[event] }
}
