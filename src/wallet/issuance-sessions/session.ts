import type { UserId } from '../../caller.ts'
import type { sessionStatuses } from '../../contract/wallet/issuance-sessions.ts'
import { sealedJson } from '../../keys/sealed-column.ts'
import type { Configuration } from '../../protocols/openid4vci/credential-configuration.ts'
import type { DeliveryError } from '../delivery-records/delivery.ts'
import type { GrantClient } from '../issuer-access/grant-client.ts'
import type { OrderedIssuer } from '../offers/order.ts'

/** One of {@link sessionStatuses}. */
type SessionStatus = (typeof sessionStatuses)[number]

/** An authorization of a wallet at an issuer. */
export type IssuanceSessionRow = {
  readonly id: string
  readonly userId: UserId
  readonly status: SessionStatus
  readonly sealedWork: Buffer | null
  readonly offerHash: string
  readonly credentialIssuer: string
  readonly credentialIds: readonly string[]
  readonly error: DeliveryError | null
  readonly expiresAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Everything needed to continue after the authorization response. Secret. */
export type SessionWork = {
  /** The address that the holder opens; `openBefore`: ISO 8601. */
  readonly authorizationUrl: string
  readonly openBefore: string
  readonly issuer: OrderedIssuer
  readonly configurations: readonly Configuration[]
  readonly client: GrantClient
  /** RFC 9207: the server sends `iss`. */
  readonly sendsIss: boolean
  /** RFC 7636. */
  readonly codeVerifier: string
}

/** Seals and opens the work of a session. */
export const sealedWork = sealedJson<SessionWork>('wallet_issuance_session', 'sealed_work')

/** Path of the callback, the one redirect URI of this deployment. */
export const ISSUANCE_CALLBACK_PATH = '/issuance-sessions/callback'
