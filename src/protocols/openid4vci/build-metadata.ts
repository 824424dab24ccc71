import type { P256Jwk } from '../../crypto/jwk.ts'
import type { AttestationPolicy } from './key-attestation.ts'
import { encryptionMetadata } from './response-encryption.ts'

/** Display texts in one language. */
export type Display = {
  readonly name: string
  readonly locale?: string
  readonly description?: string
  readonly logo?: { readonly uri: string; readonly alt_text?: string }
  readonly background_image?: { readonly uri: string }
  readonly background_color?: string
  readonly text_color?: string
}

/**
 * One claim of a credential, in display order. `path` is a claims path pointer; for an mdoc namespace and element.
 * [VCI-M14]
 */
type ClaimDescription = {
  readonly path: readonly (string | number | null)[]
  readonly mandatory?: boolean
  readonly display?: readonly Display[]
}

/** Input of one credential configuration with key binding. */
export type ConfigurationInput = {
  readonly type:
    | { readonly format: 'dc+sd-jwt'; readonly vct: string }
    | { readonly format: 'mso_mdoc'; readonly doctype: string }
  /** The OAuth scope that requests it. */
  readonly scope?: string
  /** JOSE names of the algorithms that sign the credential; for an mdoc they are converted to COSE numbers. */
  readonly signingAlgs: readonly ('ES256' | 'EdDSA')[]
  readonly proofAlgs: readonly string[]
  /** The required key attestation; absent: none is required, and the proof type `attestation` is not offered. */
  readonly keyAttestation?: AttestationPolicy
  readonly display?: readonly Display[]
  readonly claims?: readonly ClaimDescription[]
}

/** Input of the issuer metadata. Absent endpoints are unsupported. */
type IssuerMetadataInput = {
  readonly credentialIssuer: string
  readonly credentialEndpoint: string
  readonly nonceEndpoint: string
  readonly deferredEndpoint?: string
  readonly notificationEndpoint?: string
  /** Omitted below 2. */
  readonly batchSize?: number
  /**
   * The key of encrypted requests, and whether requests and responses must be encrypted; absent: neither is supported.
   */
  readonly encryption?: { readonly kid: string; readonly jwk: P256Jwk; readonly isRequired: boolean }
  readonly display?: readonly Display[]
  readonly configurations: Readonly<Record<string, ConfigurationInput>>
}

/**
 * Builds the document at `/.well-known/openid-credential-issuer…`.
 *
 * The issuer is its own authorization server, so `authorization_servers` is omitted (OpenID4VCI 1.0, 12.2.4).
 * @see [OpenID4VCI 1.0, 12.2.4](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-issuer-metadata-p)
 */
export function buildIssuerMetadata(input: IssuerMetadataInput) {
  return {
    credential_issuer: input.credentialIssuer,
    credential_endpoint: input.credentialEndpoint,
    nonce_endpoint: input.nonceEndpoint,
    ...present('deferred_credential_endpoint', input.deferredEndpoint),
    ...present('notification_endpoint', input.notificationEndpoint),
    ...(input.batchSize !== undefined && input.batchSize >= 2
      ? { batch_credential_issuance: { batch_size: input.batchSize } }
      : {}),
    ...(input.encryption && encryptionMetadata(input.encryption, input.encryption.isRequired)),
    ...present('display', input.display),
    credential_configurations_supported: Object.fromEntries(
      Object.entries(input.configurations).map(([id, one]) => [id, buildConfiguration(one)]),
    ),
  }
}

/**
 * Builds one entry of `credential_configurations_supported`. Binding methods and proof types appear together. [VCI-M8]
 */
function buildConfiguration(input: ConfigurationInput) {
  const mdoc = input.type.format === 'mso_mdoc'
  return {
    ...input.type,
    ...present('scope', input.scope),
    // OpenID4VCI 1.0, A.2.2: COSE numbers for an mdoc; ESP256 (-9) is what RFC 9864 calls ES256 with P-256. [VCI-M10]
    credential_signing_alg_values_supported: mdoc
      ? input.signingAlgs.flatMap((alg) => (alg === 'ES256' ? [-7, -9] : [-8]))
      : input.signingAlgs,
    cryptographic_binding_methods_supported: [mdoc ? 'cose_key' : 'jwk'],
    proof_types_supported: proofTypesOf(input),
    credential_metadata: { ...present('display', input.display), ...present('claims', input.claims) },
  }
}

/** OpenID4VCI 1.0, 12.2.4: an empty `key_attestations_required` demands an attestation of any level. [VCI-K5] */
function proofTypesOf({ proofAlgs, keyAttestation }: ConfigurationInput) {
  const type = { proof_signing_alg_values_supported: proofAlgs }
  if (keyAttestation === undefined) return { jwt: type }
  const { keyStorage, userAuthentication } = keyAttestation
  const required = {
    ...present('key_storage', keyStorage),
    ...present('user_authentication', userAuthentication),
  }
  const attested = { ...type, key_attestations_required: required }
  return { jwt: attested, attestation: attested }
}

function present(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : { [name]: value }
}
