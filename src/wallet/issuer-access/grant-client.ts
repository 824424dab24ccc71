import { isJsonObject, parseJson } from '../../crypto/json.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import type { OutboundAnswer, Platform } from '../../platform.ts'
import { buildClientAttestation } from '../../protocols/oauth2/build-client-attestation.ts'
import type { ServerMetadata } from '../../protocols/openid4vci/server-metadata.ts'
import { isText } from '../../protocols/shape.ts'
import { keyOf, oauthErrorOf, type SendNeeds, sendWithProof } from './send-protected.ts'
import { walletProvider } from './wallet-provider.ts'

/** This wallet as a client of one authorization server, for one grant. Secret. */
export type GrantClient = {
  /** Issuer identifier of the authorization server. */
  readonly server: string
  readonly tokenEndpoint: string
  readonly challengeEndpoint: string | null
  /** null: anonymous. */
  readonly clientId: string | null
  readonly usesDpop: boolean
  readonly usesAttestation: boolean
  /** Made for this grant [W-I2], as PKCS #8 in base64: tokens are bound to it, and the wallet attestation names it. */
  readonly key: string
}

const CHALLENGE_BYTES_MAX = 16 * 1024
const ANSWER_BYTES_MAX = 64 * 1024
const ATTESTED = 'attest_jwt_client_auth'

type Needs = SendNeeds & Pick<Platform, 'keys' | 'urls' | 'store'>

/**
 * Chooses how the wallet acts at an authorization server. DPoP if the server supports it; a wallet attestation if it
 * accepts no public clients; anonymous if that is allowed and enough.
 *
 * @param isPreAuthorized Whether the grant may be redeemed without naming a client. [VCI-M12]
 * @param authenticates The wallet authenticates wherever the server supports it, also beside public clients. [HAIP-8]
 * @throws Fault `offer.unusable` if the server takes only clients that are registered with it
 */
export function grantClientFor(
  { urls }: Pick<Platform, 'urls'>,
  server: ServerMetadata,
  isPreAuthorized: boolean,
  authenticates = false,
): GrantClient {
  const isSupported = server.authMethods.includes(ATTESTED)
  const isAnonymous = isPreAuthorized && server.anonymousAccess && !(authenticates && isSupported)
  if (!isAnonymous && server.authMethods.every((one) => registeredOnly.has(one))) throw unregistered(server)
  const isRequired = authenticates || !server.authMethods.includes('none')
  const usesAttestation = !isAnonymous && isRequired && isSupported
  return {
    server: server.issuer,
    tokenEndpoint: server.tokenEndpoint,
    challengeEndpoint: server.challengeEndpoint,
    // [W-A3] a server without anonymous access gets a client_id that is the same for all users [W-I1]
    clientId: isAnonymous ? null : urls.publicUrl,
    usesDpop: server.dpopAlgs.includes('ES256'),
    usesAttestation,
    key: generateKeyPair().pkcs8.toString('base64'),
  }
}

/** A server that lists others too, such as `client_secret_basic`, may take public clients without listing `none`. */
const registeredOnly: ReadonlySet<string> = new Set([
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
])

function unregistered({ authMethods }: ServerMetadata): Fault {
  const methods = authMethods.join(', ')
  const detail = `The authorization server takes only registered clients (${methods}); this wallet is not one.`
  return new Fault('offer.unusable', { detail })
}

/**
 * Posts a form to an endpoint of the authorization server, with client id, wallet attestation and DPoP proof as the
 * client has them. A refused nonce or challenge is replaced once. A server that refuses the client without an
 * attestation gets one: a server that authenticates clients does so before it looks at the grant (RFC 6749 3.2.1), so
 * the code is not spent.
 *
 * @returns the answer, and the client that it is for: later requests of the grant are sent as that client.
 * @throws Fault `issuer_answer.invalid`, `upstream.*`
 */
export async function sendAsClient(
  needs: Needs,
  client: GrantClient,
  url: string,
  form: Readonly<Record<string, string>>,
  provesPossession = client.usesDpop,
): Promise<{ readonly answer: OutboundAnswer; readonly client: GrantClient }> {
  const answer = await send(needs, client, url, form, provesPossession)
  if (client.usesAttestation || !refusedClient.has(oauthErrorOf(answer) ?? '')) return { answer, client }
  const attesting = { ...client, clientId: needs.urls.publicUrl, usesAttestation: true }
  const second = await send(needs, attesting, url, form, provesPossession)
  // the server spent the code all the same: the first answer says why
  return oauthErrorOf(second) === 'invalid_grant' ? { answer, client } : { answer: second, client: attesting }
}

async function send(
  needs: Needs,
  client: GrantClient,
  url: string,
  form: Readonly<Record<string, string>>,
  provesPossession: boolean,
): Promise<OutboundAnswer> {
  const { clientId } = client
  const body = new URLSearchParams({ ...form, ...(clientId !== null && { client_id: clientId }) }).toString()
  const prover = provesPossession ? { key: keyOf(client.key), accessToken: null } : null
  const attempt = (challenge: string | null) =>
    sendWithProof(
      needs,
      url,
      async () => {
        const type = { 'content-type': 'application/x-www-form-urlencoded' }
        const headers = { ...type, ...(await attested(needs, client, challenge)) }
        return { method: 'POST', headers, body, accept: ['application/json'], bytesMax: ANSWER_BYTES_MAX }
      },
      prover,
    )
  const answer = await attempt(await challengeOf(needs, client))
  const isStale = client.usesAttestation && staleAttestation.has(oauthErrorOf(answer) ?? '')
  return isStale ? attempt(givenChallenge(answer) ?? (await challengeOf(needs, client))) : answer
}

const staleAttestation: ReadonlySet<string> = new Set(['use_attestation_challenge', 'use_fresh_attestation'])
const refusedClient: ReadonlySet<string> = new Set([
  ...staleAttestation,
  'invalid_client',
  'invalid_client_attestation',
])

async function attested(needs: Needs, client: GrantClient, challenge: string | null) {
  const { clientId, usesAttestation, server, key } = client
  if (!usesAttestation || clientId === null) return {}
  const provider = await walletProvider(needs)
  return buildClientAttestation({ clientId, server, challenge, key: keyOf(key) }, provider, needs.clock.now())
}

/** A server that has the endpoint requires a challenge of it. */
async function challengeOf({ fetch, tenantId }: Needs, client: GrantClient): Promise<string | null> {
  if (!client.usesAttestation || client.challengeEndpoint === null) return null
  const request = { method: 'POST', accept: ['application/json'], bytesMax: CHALLENGE_BYTES_MAX } as const
  const answer = await fetch(tenantId, client.challengeEndpoint, request)
  const challenge = answer.status === 200 ? memberOf(answer.body) : undefined
  if (isText(challenge, 1024)) return challenge
  throw new Fault('issuer_answer.invalid', { detail: 'The authorization server sends no attestation_challenge.' })
}

function givenChallenge({ headers }: OutboundAnswer): string | null {
  const challenge = headers['oauth-client-attestation-challenge']
  return isText(challenge, 1024) ? challenge : null
}

function memberOf(body: Buffer): unknown {
  try {
    const value = parseJson(body)
    return isJsonObject(value) ? value.attestation_challenge : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
