import type { JsonObject } from '../../crypto/json.ts'

/**
 * The `format` of the entry of `verifier_info` in which a verifier of this product describes itself. Its `data` is an
 * object with `client_name`, `logo_uri`, `purpose` and `retention_seconds`, each optional. It has no signature of its
 * own: the signature of the request object is what binds it to the verifier, so it counts in a signed request only.
 *
 * @see
 *   [OpenID4VP 1.0, 5.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-new-parameters), `verifier_info`
 */
export const VERIFIER_STATEMENT_FORMAT = 'urn:chirograph:verifier-info:statement'

/** What a verifier says about itself and its request. `retentionSeconds`: how long it keeps what it receives. */
type VerifierStatement = {
  readonly clientName: string
  readonly logoUri?: string
  readonly purpose?: string
  readonly retentionSeconds: number
}

/** Returns the entry of `verifier_info`. [VP-R10] */
export function verifierStatement({ clientName, logoUri, purpose, retentionSeconds }: VerifierStatement): JsonObject {
  return {
    format: VERIFIER_STATEMENT_FORMAT,
    data: {
      client_name: clientName,
      ...(logoUri !== undefined && { logo_uri: logoUri }),
      ...(purpose !== undefined && { purpose }),
      retention_seconds: retentionSeconds,
    },
  }
}
