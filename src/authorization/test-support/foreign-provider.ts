import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { freePort } from '../../../test/support/free-port.ts'
import { newId } from '../../store/row-id.ts'

/** A client of the provider at which people sign in. */
type WebClient = { readonly clientId: string; readonly clientSecret: string; readonly redirectUri: string }

/**
 * The OpenID provider `oidc-provider` on a port of its own, which can be stopped and started again, also with another
 * key.
 */
export class ForeignProvider {
  issuer = ''
  /** Claims of the person who signs in next, without a question. */
  person: Record<string, unknown> = {}
  #webClients: readonly WebClient[]
  readonly #audience: string
  #port = 0
  #keys: JWK[] = []
  #server: Server | null = null
  #claims: Record<string, unknown> = {}
  #tokenAudience: string

  /** @param audience Of its access tokens, by default. */
  constructor(audience: string, webClients: readonly WebClient[] = []) {
    this.#webClients = webClients
    this.#audience = audience
    this.#tokenAudience = audience
  }

  async open(): Promise<void> {
    this.#port = await freePort()
    this.issuer = `http://127.0.0.1:${this.#port}`
    await this.rotate()
  }

  /** Registers another client, and starts again. */
  async register(client: WebClient): Promise<void> {
    this.#webClients = [...this.#webClients, client]
    await this.start()
  }

  stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    server?.closeAllConnections()
    return new Promise((resolve) => {
      if (server === null) resolve()
      else server.close(() => resolve())
    })
  }

  async start(): Promise<void> {
    await this.stop()
    const provider = new Provider(this.issuer, this.#configuration())
    const answer = provider.callback()
    const server = createServer((request, response) => {
      // No kept connections, since the provider is stopped and started again.
      response.setHeader('connection', 'close')
      if (request.url?.startsWith('/interaction/')) void this.#signIn(provider, request, response)
      else answer(request, response)
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
  }

  /** Replaces the key, and starts again. */
  async rotate(alg = 'ES256'): Promise<void> {
    this.#keys = [await aKey(alg)]
    await this.start()
  }

  /** Publishes the key that it will sign with, beside the current one. */
  async publishNextKey(): Promise<void> {
    this.#keys = [...this.#keys, await aKey('ES256')]
    await this.start()
  }

  /** Signs with the newest key, and publishes it alone. */
  async useNextKey(): Promise<void> {
    this.#keys = this.#keys.slice(-1)
    await this.start()
  }

  /** The key with its private members. */
  key(): JWK {
    return this.#keys[0] ?? {}
  }

  /** An access token as the provider issues it. */
  async token(claims: Record<string, unknown>, audience = this.#audience): Promise<string> {
    this.#claims = claims
    this.#tokenAudience = audience
    const answer = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('service:secret').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api' }),
    })
    const body = (await answer.json()) as { access_token?: string }
    assert(body.access_token !== undefined, JSON.stringify(body))
    return body.access_token
  }

  /** A token that the provider would not issue, signed with its key. */
  async forged(claims: Record<string, unknown>, header: object = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const good = { iss: this.issuer, aud: this.#audience, sub: 'service', iat: now, exp: now + 300, ...claims }
    const head = { alg: 'ES256', typ: 'at+jwt', kid: this.key().kid ?? '', ...header }
    return new SignJWT(good).setProtectedHeader(head).sign(await importJWK(this.key(), 'ES256'))
  }

  /** The person signs in and consents. */
  async #signIn(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    if (prompt.name === 'login') {
      const login = { accountId: String(this.person.sub) }
      return provider.interactionFinished(request, response, { login })
    }
    const grant = new provider.Grant({ accountId: session?.accountId, clientId: params.client_id })
    grant.addOIDCScope(String(params.scope))
    const consent = { grantId: await grant.save() }
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
  }

  #configuration(): object {
    const alg = this.key().alg
    const people = this.#webClients.map(({ clientId, clientSecret, redirectUri }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: alg,
    }))
    return {
      findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ ...this.person, sub }) }),
      claims: {
        openid: ['sub', 'employee_id', 'realm'],
        profile: ['preferred_username', 'given_name'],
        email: ['email', 'email_verified'],
      },
      conformIdTokenClaims: false,
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `${this.issuer}/interaction/${uid}` },
      clients: [
        ...people,
        {
          client_id: 'service',
          client_secret: 'secret',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          id_token_signed_response_alg: alg,
        },
      ],
      jwks: { keys: this.#keys },
      extraTokenClaims: () => this.#claims,
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: (_: unknown, { clientId }: { clientId: string }) =>
            clientId === 'service' ? this.#audience : undefined,
          getResourceServerInfo: () => ({
            scope: 'api',
            audience: this.#tokenAudience,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 300,
            jwt: { sign: { alg } },
          }),
        },
      },
    }
  }
}

async function aKey(alg: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, ...(alg === 'EdDSA' && { crv: 'Ed25519' }) })
  return { ...(await exportJWK(privateKey)), kid: newId(), alg, use: 'sig' }
}
