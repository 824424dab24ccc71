import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import { isText, isTextList } from '../shape.ts'
import { isContradictory } from './claim-descriptions.ts'
import type { AttestationPolicy } from './key-attestation.ts'

/** The members that a wallet uses of one entry of `credential_configurations_supported`. */
export type Configuration = {
  readonly id: string
  readonly format: string
  /** The `vct` or the document type; null for other formats. */
  readonly type: string | null
  readonly scope: string | null
  /** Signature algorithms for a proof of `proofType`; null if no proof is required, and then none is sent. [VCI-M8] */
  readonly proofAlgs: readonly string[] | null
  /** `jwt` if the issuer accepts it. [W-C2] */
  readonly proofType: 'jwt' | 'attestation'
  /** The key attestation that the issuer requires; null: none. */
  readonly keyAttestation: AttestationPolicy | null
  /** A proof is required, but of unsupported types only. */
  readonly proofUnsupported: boolean
  readonly display: readonly JsonObject[]
  readonly claims: readonly JsonObject[]
}

/**
 * Parses one credential configuration.
 *
 * @returns what is wrong with it, in words, if it violates the rules of its format: such a credential cannot be
 *   requested, the others can.
 * @see [OpenID4VCI 1.0, 12.2.4](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-issuer-metadata-p)
 */
export function readConfiguration(id: string, value: unknown): Configuration | string {
  if (!isJsonObject(value) || !isText(value.format)) return 'format is missing'
  const { format, scope } = value
  const typeMember = format === 'dc+sd-jwt' ? 'vct' : format === 'mso_mdoc' ? 'doctype' : null
  const type = typeMember === null ? null : value[typeMember]
  // OpenID4VCI 1.0, A.3.2 and A.2.2: `vct`, `doctype` are REQUIRED.
  if (type !== null && !isText(type)) return `${typeMember} is missing`
  const proof = readProofTypes(value.proof_types_supported)
  if (typeof proof === 'string') return proof
  // the drafts of OpenID4VCI up to 15 had its members in the configuration itself
  const metadata = isJsonObject(value.credential_metadata) ? value.credential_metadata : value
  const claims = objectsOf(metadata.claims)
  if (isContradictory(claims)) return 'its claims descriptions contradict each other'
  return {
    id,
    format,
    type,
    scope: isText(scope) ? scope : null,
    ...proof,
    display: objectsOf(metadata.display),
    claims,
  }
}

type ProofDemand = Pick<Configuration, 'proofAlgs' | 'proofType' | 'keyAttestation' | 'proofUnsupported'>
const noProof: ProofDemand = { proofAlgs: null, proofType: 'jwt', keyAttestation: null, proofUnsupported: false }

function readProofTypes(value: unknown): ProofDemand | string {
  if (value === undefined) return noProof
  if (!isJsonObject(value) || Object.keys(value).length === 0) return 'proof_types_supported names no proof type'
  const proofType = value.jwt !== undefined ? 'jwt' : 'attestation'
  const demand = value[proofType]
  if (demand === undefined) return { ...noProof, proofUnsupported: true }
  // OpenID4VCI 1.0, 12.2.4: `proof_signing_alg_values_supported` is REQUIRED and non-empty.
  if (!isJsonObject(demand) || !isTextList(demand.proof_signing_alg_values_supported))
    return 'proof_signing_alg_values_supported is not a non-empty array of strings'
  const { proof_signing_alg_values_supported: proofAlgs, key_attestations_required: required } = demand
  const keyAttestation = required === undefined ? null : readAttestationPolicy(required)
  if (keyAttestation === undefined) return 'key_attestations_required is malformed'
  return { ...noProof, proofAlgs, proofType, keyAttestation }
}

/** OpenID4VCI 1.0, 12.2.4: an empty object requires an attestation of any level. Undefined: malformed. */
function readAttestationPolicy(value: unknown): AttestationPolicy | undefined {
  if (!isJsonObject(value)) return undefined
  const { key_storage: keyStorage, user_authentication: userAuthentication } = value
  if (!isLevels(keyStorage) || !isLevels(userAuthentication)) return undefined
  return { ...(keyStorage && { keyStorage }), ...(userAuthentication && { userAuthentication }) }
}

function isLevels(value: unknown): value is readonly string[] | undefined {
  return value === undefined || isTextList(value)
}

function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
