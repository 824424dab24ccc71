import { sha256Base64url } from '../../crypto/digest.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { VerificationKey } from '../../crypto/jwk.ts'
import { findJwsError, findJwsHeaderError, type Jws, parseCompact } from '../../crypto/jws.ts'
import { Fault, faultOf } from '../../fault.ts'
import { asPeerUrl, isText, isTextList, type PeerPolicy, statedMembers } from '../shape.ts'
import type { ClientId } from './client-id.ts'
import { REQUEST_OBJECT_TYPE } from './request-object.ts'

/** A parsed request object; nothing in it is verified yet. `kid`: the key in the DID document. */
export type SignedRequest = { readonly client: ClientId; readonly jws: Jws; readonly kid: string | null }

/**
 * A request whose client is authenticated, with a `responseUri` of that client. The other parameters are not checked
 * yet.
 */
export type AuthenticatedRequest = {
  readonly client: ClientId
  readonly signed: boolean
  /** Whether the parameters come from a request object, not from the link. */
  readonly inObject: boolean
  readonly parameters: JsonObject
  readonly responseUri: string
}

/**
 * What a registration or an attestation says about a verifier. `key`: null: no key of it fits. `responseUris`: null:
 * not restricted.
 */
export type StatedClient = {
  readonly key: VerificationKey | null
  readonly responseUris: readonly string[] | null
  /** In place of the client metadata of the request; null: those of the request count. */
  readonly metadata: JsonObject | null
}

/** Sources of the key of a request, by the prefix of its client id. */
export type SignerKeys = {
  readonly stated?: StatedClient
  /** The key that `kid` names in the verifier's DID document. */
  readonly didKey?: VerificationKey
  /**
   * Validates a chain (DER in base64, leaf first) and the leaf's name for this client; returns the leaf's key or
   * throws.
   */
  readonly trustChain?: (x5c: readonly string[], client: ClientId) => VerificationKey
}

const REQUEST_CHARS_MAX = 262_144
const CHAIN_MAX = 6

/**
 * Parses a request object before its key is resolved.
 *
 * @param client The client of the link; that of the object must be identical. [VP-R5]
 * @throws Fault `presentation_request.invalid`. No error may be sent to the verifier, which is not authenticated.
 * @see [OpenID4VP 1.0, 5.10](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-request-uri-method-post)
 */
export function parseRequestObject(jwt: string, client: ClientId): SignedRequest {
  const jws = parsed(jwt.trim())
  // [VP-R4] 5: the wallet MUST NOT process a request object without this typ.
  const error = findJwsHeaderError(jws.header, { typ: REQUEST_OBJECT_TYPE })
  if (error !== null) throw refused(error.message)
  checkClientId(jws.payload, client)
  const { kid } = jws.header
  return { client, jws, kid: isText(kid, 2048) ? kid : null }
}

/**
 * Verifies the signature of a request object by the rules of its client id prefix, and that its `response_uri` belongs
 * to the client.
 *
 * @throws Fault `presentation_request.invalid`. No error may be sent to the verifier.
 * @see [OpenID4VP 1.0, 5.9.3](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-defined-client-identifier-p)
 */
export function authenticateSigned(
  { client, jws, kid }: SignedRequest,
  keys: SignerKeys,
  policy: PeerPolicy,
): AuthenticatedRequest {
  const key = keyOf(client, jws, kid, keys)
  const error = findJwsError(jws, key, { typ: REQUEST_OBJECT_TYPE })
  if (error !== null) throw refused(error.message)
  const responseUri = responseUriOf(jws.payload, client, policy)
  const { stated } = keys
  // OpenID4VP 1.0, 5.9.3: exactly one of those that are stated
  if (stated?.responseUris?.includes(responseUri) === false)
    throw refused('response_uri is not one that is registered or attested for the verifier.')
  const metadata = stated?.metadata == null ? {} : { client_metadata: stated.metadata }
  // OpenID4VP 1.0, 5.10.1: only the parameters inside the object count
  const parameters = statedMembers({ ...jws.payload, ...metadata })
  return { client, signed: true, inObject: true, parameters, responseUri }
}

function keyOf(client: ClientId, jws: Jws, kid: string | null, keys: SignerKeys): VerificationKey {
  if (client.prefix === 'decentralized_identifier') return didKeyOf(client, kid, keys)
  if (client.prefix !== 'verifier_attestation' && client.prefix !== 'pre-registered')
    return chainKeyOf(client, jws, keys)
  const { stated } = keys
  if (stated === undefined || stated.key === null) throw refused('No key that is stated for the verifier signed this.')
  return stated.key
}

/**
 * Accepts an unsigned request, which only the prefix `redirect_uri` allows: its client id is the address of the
 * response.
 *
 * @throws Fault `presentation_request.invalid`. No error may be sent to the verifier.
 */
export function authenticatePlain(parameters: JsonObject, client: ClientId, policy: PeerPolicy): AuthenticatedRequest {
  // OpenID4VP 1.0, 5.9.3: all other prefixes demand a signature
  if (client.prefix !== 'redirect_uri') throw refused('A request with this client_id must be signed.')
  const responseUri = responseUriOf(parameters, client, policy)
  return { client, signed: false, inObject: false, parameters: statedMembers(parameters), responseUri }
}

/**
 * As {@link authenticatePlain}, for a request object without signature.
 *
 * @throws Fault `presentation_request.invalid`
 * @see [RFC 9101, 4](https://www.rfc-editor.org/rfc/rfc9101#section-4) and [RFC 7519, 6](https://www.rfc-editor.org/rfc/rfc7519#section-6)
 */
export function authenticateUnsigned(jwt: string, client: ClientId, policy: PeerPolicy): AuthenticatedRequest {
  const { header, payload, signature } = parsed(jwt.trim())
  // OpenID4VP 1.0, 5.9.3: a request with this prefix cannot be signed
  if (header.alg !== 'none' || signature.length > 0)
    throw refused('A request with the prefix redirect_uri must not be signed.')
  // [VP-R4]
  if (header.typ !== REQUEST_OBJECT_TYPE || Object.hasOwn(header, 'crit'))
    throw refused('The request object has another type, or requires an extension.')
  checkClientId(payload, client)
  return { ...authenticatePlain(payload, client, policy), inObject: true }
}

/** [VP-R5] OpenID4VP 1.0, 5.10.1: identical, including the prefix */
function checkClientId(payload: JsonObject, client: ClientId): void {
  if (payload.client_id !== client.full) throw refused('client_id of the request object is not the one of the link.')
}

function parsed(jwt: string): Jws {
  try {
    return parseCompact(jwt, { charsMax: REQUEST_CHARS_MAX })
  } catch (cause) {
    throw new Fault('presentation_request.invalid', { detail: 'The request object is not a well-formed JWT.', cause })
  }
}

function didKeyOf(client: ClientId, kid: string | null, { didKey }: SignerKeys): VerificationKey {
  // OpenID4VP 1.0, 5.9.3: kid names a verification method of the DID
  if (kid === null || (kid.includes(':') && !kid.startsWith(`${client.id}#`))) {
    throw refused('kid of the request object is not a key of the verifier.')
  }
  if (didKey === undefined) throw refused("The verifier's DID could not be resolved.")
  return didKey
}

function chainKeyOf(client: ClientId, jws: Jws, { trustChain }: SignerKeys): VerificationKey {
  const { x5c } = jws.header
  if (!isTextList(x5c, CHAIN_MAX)) throw refused('The request object has no certificate chain in x5c.')
  // OpenID4VP 1.0, 5.9.3: the hash of the DER of the leaf
  if (client.prefix === 'x509_hash' && sha256Base64url(Buffer.from(x5c[0] ?? '', 'base64')) !== client.id) {
    throw refused('client_id is not the hash of the signing certificate.')
  }
  if (trustChain === undefined) throw refused('This wallet does not accept verifiers by X.509 certificate.')
  return trustChain(x5c, client)
}

/** [VP-S3] Returns the `response_uri`, if this client may use it. */
function responseUriOf(parameters: JsonObject, client: ClientId, policy: PeerPolicy): string {
  // OpenID4VP 1.0, 5.9.3: with the prefix redirect_uri it is optional and equals the client id
  const uri = parameters.response_uri ?? (client.prefix === 'redirect_uri' ? client.id : undefined)
  const url = asPeerUrl(uri, policy)
  // [VP-S2] OpenID4VP 1.0, 8.2: REQUIRED with direct_post, the only supported mode
  if (typeof uri !== 'string' || url === null) throw refused('response_uri is missing or not an https URL.')
  // OpenID4VP 1.0, 5.9.3: the client id is the response_uri
  if (client.prefix === 'redirect_uri' && client.id !== uri) throw refused('response_uri is not the one of client_id.')
  // OpenID4VP 1.0, 5.9.3: the host of response_uri is the name in the certificate
  if (client.prefix === 'x509_san_dns' && url.hostname !== client.id.toLowerCase()) {
    throw refused('The host of response_uri is not the one of client_id.')
  }
  return uri
}

const refused = faultOf('presentation_request.invalid')
