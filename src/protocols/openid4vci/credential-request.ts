import { isJsonObject } from '../../crypto/json.ts'
import type { Recipient } from '../../crypto/jwe.ts'
import { Fault, faultOf } from '../../fault.ts'
import { isText, statedMembers } from '../shape.ts'
import { readResponseEncryption } from './response-encryption.ts'

/** [SEC-41] Maximum number of proofs in a request, whatever the batch size of the issuer. */
export const PROOFS_MAX = 50

/** A parsed credential request. Exactly one of the two ids is not null. */
export type CredentialRequest = {
  readonly credentialIdentifier: string | null
  readonly configurationId: string | null
  /** Proofs of type `jwt`, at least one; null if the request has none. */
  readonly proofs: readonly string[] | null
  /** The proof of type `attestation`; null if the request has none. */
  readonly attestation: string | null
  /** How to encrypt the response; null: it is not encrypted. */
  readonly responseEncryption: Recipient | null
}

/**
 * Parses the body of a credential request as an issuer. Unknown members are ignored. [VCI-C2]
 *
 * NOT checked: whether the token covers the ids (`unknown_credential_…`), and whether the configuration requires
 * proofs.
 *
 * @param batchSizeMax Maximum number of proofs in one request; 1 without batch issuance. [VCI-C5]
 * @param isEncrypted Whether the request came encrypted, which a wish for an encrypted response requires.
 * @throws Fault `credential_request.invalid`, `key_proof.invalid`, `credential_encryption.unsupported`
 * @see [OpenID4VCI 1.0, 8.2](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-request)
 */
export function readCredentialRequest(content: unknown, batchSizeMax: number, isEncrypted = false): CredentialRequest {
  const body = statedMembers(content)
  if (body === null) throw malformed('The credential request is not a JSON object.')
  const credentialIdentifier = idOf(body.credential_identifier)
  const configurationId = idOf(body.credential_configuration_id)
  // [VCI-C1] both or neither
  if ((credentialIdentifier === null) === (configurationId === null)) {
    throw malformed('Send exactly one of credential_identifier and credential_configuration_id.')
  }
  // [SEC-8] OpenID4VCI 1.0, 8.2: else the key could be replaced on the way
  if (body.credential_response_encryption !== undefined && !isEncrypted) {
    throw new Fault('credential_encryption.unsupported', {
      detail: 'A request for an encrypted response must be encrypted.',
    })
  }
  return {
    credentialIdentifier,
    configurationId,
    ...proofsOf(body.proofs, Math.min(batchSizeMax, PROOFS_MAX)),
    responseEncryption: readResponseEncryption(body.credential_response_encryption),
  }
}

/** The proofs of a credential request, of one type. Empty if the configuration requires none. [VCI-M8] */
export type Proofs = { readonly type: 'jwt' | 'attestation'; readonly values: readonly string[] }

/** Builds the body of a credential request. */
export function buildCredentialRequest(
  id: { readonly credentialIdentifier: string } | { readonly configurationId: string },
  { type, values }: Proofs,
) {
  return {
    ...('credentialIdentifier' in id
      ? { credential_identifier: id.credentialIdentifier }
      : { credential_configuration_id: id.configurationId }),
    ...(values.length === 0 ? {} : { proofs: { [type]: values } }),
  }
}

function idOf(value: unknown): string | null {
  if (value === undefined) return null
  if (!isText(value, 1024)) throw malformed('An identifier in the credential request is not a string.')
  return value
}

function proofsOf(value: unknown, countMax: number): Pick<CredentialRequest, 'proofs' | 'attestation'> {
  if (value === undefined) return { proofs: null, attestation: null }
  if (!isJsonObject(value)) throw malformed('proofs is not an object.')
  const types = Object.keys(value)
  // OpenID4VCI 1.0, 8.2: exactly one member, named after the proof type
  if (types.length !== 1) throw malformed('proofs must have exactly one proof type.')
  if (types[0] === 'attestation') return { proofs: null, attestation: attestationOf(value.attestation) }
  // [VCI-P10] an unsupported proof type
  if (types[0] !== 'jwt') throw unproved('The supported proof types are jwt and attestation.')
  const { jwt } = value
  if (!Array.isArray(jwt) || jwt.length === 0 || !jwt.every((one) => typeof one === 'string')) {
    throw unproved('proofs.jwt is not a non-empty array of strings.')
  }
  // [VCI-C5]
  if (jwt.length > countMax) throw malformed(`At most ${countMax} proofs are accepted in one request.`)
  return { proofs: jwt, attestation: null }
}

/** [VCI-K4] An array of exactly one attestation. */
function attestationOf(value: unknown): string {
  const [attestation, ...others] = Array.isArray(value) ? value : []
  if (typeof attestation === 'string' && others.length === 0) return attestation
  throw unproved('proofs.attestation is not an array of one string.')
}

const malformed = faultOf('credential_request.invalid')
const unproved = faultOf('key_proof.invalid')
