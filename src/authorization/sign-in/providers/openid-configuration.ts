import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  type ServerMetadata,
} from 'openid-client'
import type { TenantId } from '../../../caller.ts'
import { parseJsonObject } from '../../../crypto/json.ts'
import { Fault } from '../../../fault.ts'
import { remembered } from '../../../memory/recent.ts'
import type { OutboundFetch, Platform } from '../../../platform.ts'
import { type IdentityProvider, providerSecretPlace } from '../../access/identity-provider.ts'

type Needs = Pick<Platform, 'fetch' | 'memory' | 'clock' | 'sealing' | 'config'>

const BODY_BYTES_MAX = 262_144
const ACCEPT = ['application/json', 'application/jwk-set+json', 'application/jwt']
const TOLERANCE_SECONDS = 30
/** Of its metadata and keys: Nextcloud serves them behind one. The issuer in them is compared all the same. */
const REDIRECTS_MAX = 2

/**
 * Returns a provider's metadata and our client there, discovered once and kept for an hour, or until the provider is
 * changed. Keys of the provider are fetched again when it signs with a new one. Every call goes through the guarded
 * outbound client, and the signature of an ID token is always verified.
 *
 * @throws Fault `upstream.*`, or an error of openid-client, which names no secret
 */
export function providerConfiguration(needs: Needs, provider: IdentityProvider): Promise<Configuration> {
  const cache = needs.memory.cache<Promise<Configuration>>('authorization.identity_providers')
  const key = `${provider.tenantId} ${provider.id} ${provider.updatedAt.getTime()}`
  return remembered(cache, key, needs.clock.now(), () => discover(needs, provider))
}

async function discover(needs: Needs, provider: IdentityProvider): Promise<Configuration> {
  const issuer = new URL(provider.issuer)
  const isPlain = issuer.protocol === 'http:' && needs.config.isDevelopment
  const fetch = guardedFetch(needs.fetch, provider.tenantId)
  const execute = isPlain ? [allowInsecureRequests] : []
  const found = await discovery(issuer, provider.clientId, undefined, None(), { [customFetch]: fetch, execute })
  const server = statedMembers(found.serverMetadata())
  requireWebAddresses(server, isPlain)
  const sealed = provider.sealedClientSecret
  const secret = sealed === null ? null : (await needs.sealing.open(providerSecretPlace(provider), sealed)).toString()
  const methods = server.token_endpoint_auth_methods_supported
  const client = { [clockTolerance]: TOLERANCE_SECONDS }
  const configuration = new Configuration(server, provider.clientId, client, authentication(secret, methods))
  configuration[customFetch] = fetch
  enableNonRepudiationChecks(configuration)
  if (isPlain) allowInsecureRequests(configuration)
  return configuration
}

/**
 * Returns the metadata with the members that say something. Providers write null or an empty text for an endpoint that
 * they do not have.
 */
function statedMembers(server: ServerMetadata): ServerMetadata {
  const { issuer, ...rest } = server
  const stated = Object.entries(rest).filter(([, value]) => value !== null && value !== '')
  const { id_token_signing_alg_values_supported: algs = ['RS256'] } = rest
  // Optional (OpenID Connect Discovery 3): signed UserInfo responses have the algorithms of ID tokens by default.
  return { issuer, userinfo_signing_alg_values_supported: algs, ...Object.fromEntries(stated) }
}

/**
 * @throws Fault `upstream.answer` unless the endpoints that a sign-in uses are https addresses: a browser is sent to
 *   the first of them
 */
function requireWebAddresses(server: ServerMetadata, isPlain: boolean): void {
  const { authorization_endpoint: authorization, token_endpoint: token, jwks_uri: keys, userinfo_endpoint } = server
  const optional = userinfo_endpoint === undefined ? [] : [userinfo_endpoint]
  for (const address of [authorization, token, keys, ...optional]) {
    const protocol = typeof address === 'string' ? URL.parse(address)?.protocol : undefined
    if (protocol === 'https:' || (isPlain && protocol === 'http:')) continue
    throw new Fault('upstream.answer', {
      notes: 'the metadata of the provider name an endpoint that is no https address',
    })
  }
}

/** `client_secret_basic` is the default of OpenID Connect, but quoting a secret in it is where servers differ. */
function authentication(secret: string | null, methods: readonly string[] | undefined): ClientAuth {
  if (secret === null) return None()
  return methods?.includes('client_secret_post') === true ? ClientSecretPost(secret) : basicAuthentication(secret)
}

/**
 * Form-encodes as browsers do, with `*-._` as they are. That of openid-client encodes these too, and a provider that
 * decodes nothing refuses each secret with one of them.
 *
 * @see [RFC 6749, 2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1)
 */
function basicAuthentication(secret: string): ClientAuth {
  const encoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return (_server, { client_id }, _body, headers) => {
    const credentials = Buffer.from(`${encoded(client_id)}:${encoded(secret)}`)
    headers.set('authorization', `Basic ${credentials.toString('base64')}`)
  }
}

function guardedFetch(fetch: OutboundFetch, tenantId: TenantId): CustomFetch {
  return async (url, { method, headers, body }) => {
    const {
      status,
      headers: answered,
      body: bytes,
    } = await fetch(tenantId, url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body === null || body === undefined ? {} : { body: String(body) }),
      accept: ACCEPT,
      bytesMax: BODY_BYTES_MAX,
      redirectsMax: REDIRECTS_MAX,
    })
    const { 'content-encoding': _, 'content-length': __, ...plain } = answered
    const isEmpty = status === 204 || status === 304
    const isTokens = method === 'POST' && status === 200
    const read = isTokens ? usedMembers(bytes) : bytes
    // Kanidm writes the JSON of an error as text/plain. What is no such JSON is no error code either way.
    const isError = method === 'POST' && status >= 400
    const typed = isError ? { ...plain, 'content-type': 'application/json' } : plain
    return new Response(isEmpty ? null : new Uint8Array(read), { status, headers: typed })
  }
}

/**
 * Returns a token response with the members that a sign-in uses. Providers write a scope as an array (Twitch), or null
 * for a refresh token or a lifetime that there is not: nothing here reads those.
 *
 * @throws Fault `json.malformed`
 */
function usedMembers(bytes: Buffer): Buffer {
  const { access_token, token_type, id_token } = parseJsonObject(bytes)
  return Buffer.from(JSON.stringify({ access_token, token_type, id_token }))
}
