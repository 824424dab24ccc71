import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { sha256Base64url } from '../../../crypto/digest.ts'
import { Fault } from '../../../fault.ts'
import type { OutboundAnswer, OutboundFetch } from '../../../platform.ts'

/** What a provider does otherwise than it should. */
export type Lie = {
  readonly claims?: JWTPayload
  readonly userInfo?: Record<string, unknown>
  /** The whole UserInfo response. */
  readonly userInfoAnswer?: Pick<OutboundAnswer, 'status'> & { readonly headers?: Record<string, string> }
  readonly isUserInfoSigned?: boolean
  /** Members of the token response. */
  readonly tokens?: Record<string, unknown>
  /** The whole token response. */
  readonly tokenAnswer?: OutboundAnswer
  readonly isSignedByAnother?: boolean
  readonly alg?: 'none'
  readonly metadata?: Record<string, unknown>
  readonly isDown?: boolean
}

/** An OpenID provider behind the outbound client of a platform, written with `jose`. */
export class OpenidProvider {
  readonly issuer: string
  readonly clientSecret = 'a secret of the client at the provider'
  /** The access token that it issues at sign-in. */
  readonly bearer = 'an-access-token-of-the-provider'
  lie: Lie = {}
  /** Claims of the next person. */
  person: Record<string, unknown> = {}
  readonly requests: {
    readonly url: string
    readonly body: string | undefined
    readonly authorization: string | undefined
  }[] = []
  #key: Promise<{ privateKey: CryptoKey; publicKey: CryptoKey }> = generateKeyPair('ES256')
  #kid = 1
  readonly #codes = new Map<string, { challenge: string; nonce: string; redirectUri: string }>()

  constructor(issuer = 'https://op.example') {
    this.issuer = issuer
  }

  /** Answers the requests of a platform. */
  readonly fetch: OutboundFetch = async (_tenantId, url, { body, headers = {} }) => {
    this.requests.push({ url, body, authorization: headers.authorization })
    if (this.lie.isDown) throw new Fault('upstream.unreachable')
    const { pathname } = new URL(url)
    if (pathname === '/.well-known/openid-configuration')
      return json(200, { ...this.#metadata(), ...this.lie.metadata })
    if (pathname === '/jwks') {
      const jwk = await exportJWK((await this.#key).publicKey)
      return json(200, { keys: [{ ...jwk, kid: String(this.#kid), alg: 'ES256', use: 'sig' }] })
    }
    if (pathname === '/token') return this.lie.tokenAnswer ?? this.#token(new URLSearchParams(body))
    return headers.authorization === `Bearer ${this.bearer}` ? this.#userInfo() : json(401, {})
  }

  /**
   * The person signs in at the address that a server redirected to.
   *
   * @returns the path and query that the browser comes back with
   */
  authorize(url: string): string {
    const asked = new URL(url).searchParams
    const code = `code-${this.#codes.size}`
    const member = (name: string) => asked.get(name) ?? ''
    this.#codes.set(code, {
      challenge: member('code_challenge'),
      nonce: member('nonce'),
      redirectUri: member('redirect_uri'),
    })
    const back = new URL(member('redirect_uri'))
    back.searchParams.set('code', code)
    back.searchParams.set('state', member('state'))
    back.searchParams.set('iss', this.issuer)
    return back.pathname + back.search
  }

  /** Returns an access token with these claims, for `aud`. */
  accessToken(claims: JWTPayload & { readonly aud: string }): Promise<string> {
    return this.#signed(claims, 'at+jwt')
  }

  /** Signs with another key from now on. */
  rotate(): void {
    this.#key = generateKeyPair('ES256')
    this.#kid += 1
  }

  #metadata() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  async #token(form: URLSearchParams): Promise<OutboundAnswer> {
    const code = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const isRight =
      code !== undefined &&
      sha256Base64url(form.get('code_verifier') ?? '') === code.challenge &&
      form.get('redirect_uri') === code.redirectUri &&
      form.get('client_secret') === this.clientSecret
    if (!isRight) return json(400, { error: 'invalid_grant' })
    const claims = { nonce: code.nonce, ...this.person, ...this.lie.claims }
    return json(200, {
      access_token: this.bearer,
      token_type: 'Bearer',
      expires_in: 60,
      id_token: await this.#idToken(claims),
      ...this.lie.tokens,
    })
  }

  async #userInfo(): Promise<OutboundAnswer> {
    const { userInfo, userInfoAnswer, isUserInfoSigned } = this.lie
    const claims = { sub: String(this.person.sub), ...userInfo }
    if (userInfoAnswer !== undefined) {
      const answer = json(userInfoAnswer.status, claims)
      return { ...answer, headers: { ...answer.headers, ...userInfoAnswer.headers } }
    }
    if (isUserInfoSigned !== true) return json(200, claims)
    const contentType = 'application/jwt'
    const headers = { 'content-type': `${contentType};charset=UTF-8` }
    return { status: 200, contentType, headers, body: Buffer.from(await this.#signed(claims, 'JWT')) }
  }

  #idToken(claims: JWTPayload): Promise<string> {
    return this.#signed(claims, 'JWT')
  }

  async #signed(claims: JWTPayload, typ: string): Promise<string> {
    const payload: JWTPayload = { iss: this.issuer, aud: 'chirograph', ...claims }
    const { privateKey } = this.lie.isSignedByAnother ? await generateKeyPair('ES256') : await this.#key
    const text = await new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', kid: String(this.#kid), typ })
      .setIssuedAt(claims.iat)
      .setExpirationTime(claims.exp ?? '5m')
      .sign(privateKey)
    if (this.lie.alg === undefined) return text
    return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${text.split('.')[1]}.`
  }
}

function json(status: number, body: object): OutboundAnswer {
  const contentType = 'application/json'
  return { status, contentType, headers: { 'content-type': contentType }, body: Buffer.from(JSON.stringify(body)) }
}
