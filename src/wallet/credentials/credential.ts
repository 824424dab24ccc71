import type { Consent, ShownCredential, WalletFormat } from '../../contract/wallet/credentials.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { mdocClaims } from '../../protocols/mdoc/claims.ts'
import { parseIssuerSigned } from '../../protocols/mdoc/issuer-signed.ts'
import { processSdJwt } from '../../protocols/sd-jwt-vc/process-sd-jwt.ts'
import { isControlClaim } from '../../protocols/sd-jwt-vc/reserved-names.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'

/** A credential in a wallet, without its claims and keys. */
export type HeldCredential = {
  readonly id: string
  readonly status: Consent
  /** `vc+sd-jwt` is the API's one label for SD-JWT VCs, whatever `typ` was received. */
  readonly format: WalletFormat
  /** The `vct`, or the document type of an mdoc. */
  readonly vct: string
  /** The issuer that was proven. */
  readonly iss: string | null
  /** The issuer that the credential states, if that is another one; else null. */
  readonly statedIss: string | null
  readonly credentialIssuer: string
  readonly issuedAt: Date
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Returns the claims about the subject: the processed payload without the claims about the credential itself. */
export function subjectClaims(payload: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !isControlClaim(name)))
}

/**
 * Returns the processed payload of a stored SD-JWT VC. It was verified on receipt, and its seal proves that it did not
 * change.
 */
export function claimsOf(raw: string): JsonObject {
  return processSdJwt(parseSdJwt(raw)).payload
}

/** Returns from when a credential is valid: what its issuer states, else when it was issued. */
export function validFromOf({ format, issuedAt }: Pick<HeldCredential, 'format' | 'issuedAt'>, raw: string): Date {
  if (format === 'mso_mdoc') return parseIssuerSigned(raw).mso.validityInfo.validFrom
  const { nbf } = claimsOf(raw)
  return typeof nbf === 'number' && Math.abs(nbf) < 8.64e12 ? new Date(nbf * 1000) : issuedAt
}

/** Returns a credential as the API shows it. @param raw Any copy: all have the same claims. */
export function showCredential(held: HeldCredential, raw: string): ShownCredential {
  const { id, status, format, vct, iss, statedIss, issuedAt } = held
  // an mdoc has its claims in namespaces, apart from the metadata of the credential
  const claims = format === 'mso_mdoc' ? mdocClaims(parseIssuerSigned(raw).nameSpaces) : subjectClaims(claimsOf(raw))
  return {
    id,
    claims,
    iat: issuedAt.toISOString(),
    status,
    format,
    vct,
    ...(iss !== null && { iss }),
    ...(statedIss !== null && { statedIss }),
  }
}
