import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { freePort } from '../../../test/support/free-port.ts'
import { newId } from '../../store/row-id.ts'

/** The OpenID provider `oidc-provider` on a port of its own, which can be stopped and started again, also with another key. */
export class ForeignProvider {
  issuer = ''
  readonly #audience: string
  #port = 0
  #keys: JWK[] = []
  #server: Server | null = null
  #claims: Record<string, unknown> = {}
  #tokenAudience: string

  /** @param audience Of its access tokens, by default. */
  constructor(audience: string) {
    this.#audience = audience
    this.#tokenAudience = audience
  }

  async open(): Promise<void> {
    this.#port = await freePort()
    this.issuer = `http://127.0.0.1:${this.#port}`
    await this.rotate()
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
    const answer = new Provider(this.issuer, this.#configuration()).callback()
    // No kept connections, since the provider is stopped and started again.
    const server = createServer((request, response) => answer(request, response.setHeader('connection', 'close')))
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
  }

  /** Replaces the key, and starts again. */
  async rotate(alg = 'ES256'): Promise<void> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true, ...(alg === 'EdDSA' && { crv: 'Ed25519' }) })
    this.#keys = [{ ...(await exportJWK(privateKey)), kid: newId(), alg, use: 'sig' }]
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

  #configuration(): object {
    const alg = this.key().alg
    return {
      clients: [
        {
          ...{ client_id: 'service', client_secret: 'secret', grant_types: ['client_credentials'] },
          ...{ redirect_uris: [], response_types: [], id_token_signed_response_alg: alg },
        },
      ],
      jwks: { keys: this.#keys },
      extraTokenClaims: () => this.#claims,
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => this.#audience,
          getResourceServerInfo: () => ({
            ...{ scope: 'api', audience: this.#tokenAudience, accessTokenFormat: 'jwt', accessTokenTTL: 300 },
            jwt: { sign: { alg } },
          }),
        },
      },
    }
  }
}
