import { isJsonObject } from '../../crypto/json.ts'
import { faultOf } from '../../fault.ts'
import { isText, statedMembers } from '../shape.ts'

/** A parsed credential response. */
export type CredentialResponse =
  | { readonly kind: 'issued'; readonly credentials: readonly string[]; readonly notificationId: string | null }
  | { readonly kind: 'deferred'; readonly transactionId: string; readonly intervalSeconds: number }

const CREDENTIAL_CHARS_MAX = 1024 * 1024
const INTERVAL_SECONDS_MAX = 30 * 24 * 3600
/** Between polls of an issuer that does not say how long to wait. */
const INTERVAL_SECONDS = 60

/**
 * Validates the form of a credential response as a wallet. Unknown members are ignored, as is what does not belong to
 * its kind: the code is spent, so that a refusal loses the credential. [W-R1]
 *
 * NOT checked: the credentials themselves.
 *
 * @param keysSent Number of keys proved; an issuer returns at most one credential for each. [VCI-C11]
 * @throws Fault `issuer_answer.invalid`
 * @see [OpenID4VCI 1.0, 8.3](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-response)
 */
export function readCredentialResponse(body: unknown, keysSent: number): CredentialResponse {
  const value = statedMembers(body)
  if (value === null) throw unusable('The credential response is not a JSON object.')
  const { credentials, transaction_id: transactionId, notification_id: notificationId } = value
  // [W-R1] exactly one of the two
  if ((credentials === undefined) === (transactionId === undefined)) {
    throw unusable('The credential response has none, or both, of credentials and transaction_id.')
  }
  if (transactionId !== undefined) return readDeferred(transactionId, value.interval)
  if (notificationId !== undefined && !isText(notificationId, 1024)) throw unusable('notification_id is not a string.')
  return {
    kind: 'issued',
    credentials: readCredentials(credentials, Math.max(keysSent, 1)),
    notificationId: notificationId ?? null,
  }
}

/** Builds the body of a response with credentials. `notificationId`: null without a notification endpoint. */
export function buildCredentialResponse(credentials: readonly string[], notificationId: string | null) {
  return {
    credentials: credentials.map((credential) => ({ credential })),
    ...(notificationId === null ? {} : { notification_id: notificationId }),
  }
}

function readDeferred(transactionId: unknown, interval: unknown): CredentialResponse {
  if (!isText(transactionId, 1024)) throw unusable('transaction_id is not a string.')
  // OpenID4VCI 1.0, 8.3: a positive number; issuers written to the drafts up to 15 send none
  const seconds = typeof interval === 'number' && interval > 0 ? interval : INTERVAL_SECONDS
  return { kind: 'deferred', transactionId, intervalSeconds: Math.ceil(Math.min(seconds, INTERVAL_SECONDS_MAX)) }
}

function readCredentials(value: unknown, countMax: number): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) throw unusable('credentials is not a non-empty array.')
  if (value.length > countMax) throw unusable('The issuer sent more credentials than keys were proved.')
  return value.map((one: unknown) => {
    const credential = isJsonObject(one) ? one.credential : undefined
    // OpenID4VCI 1.0, A.2.4 and A.3.4: in the supported formats, a credential is a string.
    if (!isText(credential, CREDENTIAL_CHARS_MAX)) throw unusable('A credential in the response is not a string.')
    return credential
  })
}

const unusable = faultOf('issuer_answer.invalid')
