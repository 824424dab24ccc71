import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import { faultOf } from '../../fault.ts'
import { asPeerUrl, isText, isTextList, type PeerPolicy, statedMembers } from '../shape.ts'
import { type Configuration, readConfiguration } from './credential-configuration.ts'
import { type IssuerEncryption, readIssuerEncryption } from './issuer-encryption.ts'
import { isIssuerIdentifier } from './well-known.ts'

/** The members that a wallet uses of an issuer's metadata. Every URL in it is untrusted. [W-M6] */
export type IssuerMetadata = {
  readonly credentialIssuer: string
  /** Identifiers of the authorization servers; null: the issuer is its own. */
  readonly authorizationServers: readonly string[] | null
  readonly credentialEndpoint: string
  readonly nonceEndpoint: string | null
  readonly deferredEndpoint: string | null
  readonly notificationEndpoint: string | null
  /** How many proofs one request may carry; 1 without batch issuance. */
  readonly batchSizeMax: number
  /** How messages are encrypted; null: they are not. [W-C5] */
  readonly encryption: IssuerEncryption | null
  readonly display: readonly JsonObject[]
  readonly configurations: ReadonlyMap<string, Configuration>
  /** What is wrong with the configurations that cannot be read, in words, by id. */
  readonly unreadable: ReadonlyMap<string, string>
}

const CONFIGURATIONS_MAX = 500

/**
 * Checks issuer metadata as a wallet. Unknown members are ignored [W-M7]; configurations that we cannot read are left
 * out [W-M4].
 *
 * @param expectedIssuer The identifier that the offer names.
 * @throws Fault `issuer_metadata.invalid`
 * @see [OpenID4VCI 1.0, 12.2.4](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-credential-issuer-metadata-p)
 */
export function readIssuerMetadata(document: unknown, expectedIssuer: string, policy: PeerPolicy): IssuerMetadata {
  const value = statedMembers(document)
  if (value === null) throw unusable('The metadata is not a JSON object.')
  // [W-M2] OpenID4VCI 1.0, 12.2.3: identical, compared as strings
  if (value.credential_issuer !== expectedIssuer) throw unusable('The metadata is of another issuer than the offer.')
  const endpoint = (name: string) => endpointOf(value, name, policy)
  const credentialEndpoint = endpoint('credential_endpoint')
  if (credentialEndpoint === null) throw unusable('The metadata has no credential_endpoint.')
  return {
    credentialIssuer: expectedIssuer,
    authorizationServers: authorizationServersOf(value.authorization_servers, policy),
    credentialEndpoint,
    nonceEndpoint: endpoint('nonce_endpoint'),
    deferredEndpoint: endpoint('deferred_credential_endpoint'),
    notificationEndpoint: endpoint('notification_endpoint'),
    batchSizeMax: batchSizeOf(value.batch_credential_issuance),
    encryption: readIssuerEncryption(value),
    display: Array.isArray(value.display) ? value.display.filter(isJsonObject) : [],
    ...configurationsOf(value.credential_configurations_supported),
  }
}

/**
 * The offered configurations that a wallet can take.
 *
 * @param formats The formats that this wallet supports.
 * @returns At least one.
 * @throws Fault `issuer_metadata.invalid` if an offered id is not in the metadata, or none can be read and has a
 *   supported format. [W-M4]
 */
export function pickConfigurations(
  metadata: IssuerMetadata,
  ids: readonly string[],
  formats: readonly string[],
): readonly Configuration[] {
  const { configurations, unreadable } = metadata
  if (ids.some((id) => !configurations.has(id) && !unreadable.has(id)))
    throw unusable('The offer names a credential that the metadata does not describe.')
  const supported = ids.flatMap((id) => configurations.get(id) ?? []).filter((one) => formats.includes(one.format))
  if (supported.length > 0) return supported
  const [wrong] = ids.flatMap((id) => unreadable.get(id) ?? [])
  throw unusable(
    wrong === undefined
      ? 'The offer has no credential in a format that this wallet supports.'
      : `The metadata describes the offered credential in a way that cannot be used: ${wrong}.`,
  )
}

/**
 * Which authorization servers may be asked, the one to try first at the front. [W-M5]
 *
 * Of several without a hint, the caller takes the first whose metadata has the grant.
 *
 * @param hint `authorization_server` of the grant in the offer.
 * @throws Fault `issuer_metadata.invalid` if the hint is not one of the issuer's.
 */
export function authorizationServersFor(metadata: IssuerMetadata, hint: string | null): readonly string[] {
  const servers = metadata.authorizationServers ?? [metadata.credentialIssuer]
  if (hint === null) return servers
  // OpenID4VCI 1.0, 4.1.1: the wallet MUST NOT proceed if the hint matches none of the listed servers.
  if (!servers.includes(hint)) throw unusable('The offer names an authorization server that the issuer does not list.')
  return [hint]
}

/** A refusal of a peer's metadata. */
export const unusable = faultOf('issuer_metadata.invalid')

/** A URL member; null if absent. [W-M6] @throws Fault `issuer_metadata.invalid` if it is no https URL. */
export function endpointOf(document: JsonObject, name: string, policy: PeerPolicy): string | null {
  const value = document[name]
  if (value === undefined) return null
  if (!isText(value) || asPeerUrl(value, policy) === null)
    throw unusable(`${name} in the metadata is not an https URL.`)
  return value
}

function authorizationServersOf(value: unknown, policy: PeerPolicy): readonly string[] | null {
  if (value === undefined) return null
  if (!isTextList(value, 16) || !value.every((one) => isIssuerIdentifier(one, policy))) {
    throw unusable('authorization_servers is not a non-empty array of issuer identifiers.')
  }
  return value
}

function batchSizeOf(value: unknown): number {
  if (value === undefined) return 1
  const size = isJsonObject(value) ? value.batch_size : undefined
  // OpenID4VCI 1.0, 12.2.4: an integer, 2 or greater; issuers without batches send 1, which is what the absence of it
  // means
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 1)
    throw unusable('batch_size in the metadata is not a positive integer.')
  return size
}

function configurationsOf(value: unknown): Pick<IssuerMetadata, 'configurations' | 'unreadable'> {
  if (!isJsonObject(value)) throw unusable('The metadata describes no credentials.')
  const entries = Object.entries(value)
  if (entries.length > CONFIGURATIONS_MAX) throw unusable('The metadata describes too many credentials.')
  const configurations = new Map<string, Configuration>()
  const unreadable = new Map<string, string>()
  for (const [id, one] of entries) {
    const read = readConfiguration(id, one)
    if (typeof read === 'string') unreadable.set(id, read)
    else configurations.set(id, read)
  }
  return { configurations, unreadable }
}
