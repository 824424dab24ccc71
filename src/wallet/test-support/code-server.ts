import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Oauth2AuthorizationServer, setGlobalConfig } from '@openid4vc/oauth2'
import { codeCallbacks } from './code-callbacks.ts'

/** What the code flow of a foreign issuer requires. */
export type CodeOptions = {
  readonly pushed?: boolean
  readonly dpop?: boolean
  readonly attested?: boolean
  /** Tokens of this server expire at once, but can be renewed. */
  readonly renews?: boolean
  /** The root of the wallet provider, in PEM. */
  readonly provider?: () => Promise<string>
}

/** A request to the server. `url`: as the client addressed it. */
type Incoming = { readonly body: string; readonly headers: IncomingMessage['headers'] }
type Answer = { status: number; type: string; body: unknown; headers?: Record<string, string> }
type Grant = { readonly request: URLSearchParams; readonly jkt: string | undefined }

// loopback addresses
setGlobalConfig({ allowInsecureUrls: true })

const DPOP_NONCE = 'nonce-of-the-server'
const CHALLENGE = 'challenge-of-the-server'

/** An authorization server with code flow, whose checks are those of `@openid4vc/oauth2`. */
export class CodeServer {
  readonly #issuer: string
  readonly #options: CodeOptions
  readonly #pushed = new Map<string, URLSearchParams>()
  readonly #codes = new Map<string, Grant>()
  readonly #tokens = new Map<string, string | undefined>()
  readonly #refresh = new Map<string, string | undefined>()
  /** `jti` of the proofs of possession. */
  readonly #spent = new Set<unknown>()
  readonly #server: Oauth2AuthorizationServer
  /** The authorization requests that were opened. */
  readonly opened: URLSearchParams[] = []

  constructor(issuer: string, options: CodeOptions) {
    this.#issuer = issuer
    this.#options = options
    this.#server = new Oauth2AuthorizationServer({ callbacks: codeCallbacks(options) })
  }

  get metadata() {
    const { pushed, dpop, attested } = this.#options
    return {
      issuer: this.#issuer,
      token_endpoint: `${this.#issuer}/t`,
      authorization_endpoint: `${this.#issuer}/authorize?kept=1`,
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: [attested ? 'attest_jwt_client_auth' : 'none'],
      ...(pushed && {
        pushed_authorization_request_endpoint: `${this.#issuer}/par`,
        require_pushed_authorization_requests: true,
      }),
      ...(dpop && { dpop_signing_alg_values_supported: ['ES256'] }),
      ...(attested && { challenge_endpoint: `${this.#issuer}/challenge` }),
    }
  }

  challenge(): Answer {
    return ok({ attestation_challenge: CHALLENGE })
  }

  async push(ask: Incoming): Promise<Answer> {
    if (this.#isReplayed(ask)) return { ...ok({ error: 'invalid_client_attestation' }), status: 400 }
    const form = new URLSearchParams(ask.body)
    const request = this.#requestOf(ask, '/par')
    const parsed = await this.#server.parsePushedAuthorizationRequest({
      request,
      authorizationRequest: Object.fromEntries(form),
    })
    await this.#server.verifyPushedAuthorizationRequest({
      authorizationServerMetadata: this.metadata,
      authorizationRequest: parsed.authorizationRequest,
      request,
      dpop: { required: this.#options.dpop === true, ...parsed.dpop },
      clientAttestation: { required: this.#options.attested === true, ...parsed.clientAttestation },
    })
    if (!this.#hasChallenge(ask)) return { ...ok({ error: 'use_attestation_challenge' }), status: 400 }
    const uri = `urn:ietf:params:oauth:request_uri:${randomBytes(8).toString('hex')}`
    this.#pushed.set(uri, form)
    return { ...ok({ request_uri: uri, expires_in: 60 }), status: 201 }
  }

  /** Acts as the browser of a person who agrees: returns the query with which it comes back. */
  authorize(address: string): URLSearchParams {
    const url = new URL(address)
    if (url.searchParams.get('kept') !== '1') throw new Error('the query of the endpoint is lost')
    const uri = url.searchParams.get('request_uri')
    const request = uri === null ? url.searchParams : this.#pushed.get(uri)
    if (request === undefined || (uri === null && this.#options.pushed)) throw new Error('not pushed')
    if (request.get('code_challenge_method') !== 'S256') throw new Error('no PKCE')
    this.opened.push(request)
    const code = randomBytes(8).toString('hex')
    this.#codes.set(code, { request, jkt: request.get('dpop_jkt') ?? undefined })
    return new URLSearchParams({ code, state: request.get('state') ?? '', iss: this.#issuer })
  }

  async token(ask: Incoming): Promise<Answer> {
    if (this.#isReplayed(ask)) return { ...ok({ error: 'invalid_client_attestation' }), status: 400 }
    const form = Object.fromEntries(new URLSearchParams(ask.body))
    if (this.#lacksNonce(ask)) return useNonce(400)
    return form.grant_type === 'refresh_token' ? this.#renew(form) : this.#redeem(ask, form)
  }

  /** The refusal of a credential request; null: its token is good. */
  refusal({ headers }: Incoming): Answer | null {
    const [scheme, token = ''] = (headers.authorization ?? '').split(' ')
    const isKnown = this.#tokens.has(token) && scheme === (this.#options.dpop ? 'DPoP' : 'Bearer')
    if (!isKnown) return { ...ok({ error: 'invalid_token' }), status: 401 }
    if (!this.#options.dpop) return null
    if (this.#lacksNonce({ body: '', headers })) return useNonce(401)
    const ath = createHash('sha256').update(token).digest('base64url')
    return payloadOf(headers.dpop).ath === ath ? null : { ...ok({ error: 'invalid_dpop_proof' }), status: 401 }
  }

  async #redeem(ask: Incoming, form: Record<string, string>): Promise<Answer> {
    const grant = this.#codes.get(form.code ?? '')
    if (grant === undefined) return { ...ok({ error: 'invalid_grant' }), status: 400 }
    this.#codes.delete(form.code ?? '')
    const request = this.#requestOf(ask, '/t')
    const parsed = this.#server.parseAccessTokenRequest({ request, accessTokenRequest: form })
    if (parsed.grant.grantType !== 'authorization_code') throw new Error('another grant')
    const { dpop, attested } = this.#options
    await this.#server.verifyAuthorizationCodeAccessTokenRequest({
      authorizationServerMetadata: this.metadata,
      grant: parsed.grant,
      accessTokenRequest: parsed.accessTokenRequest,
      request,
      expectedCode: form.code ?? '',
      dpop: { required: dpop === true, ...parsed.dpop, ...(dpop && { expectedJwkThumbprint: grant.jkt ?? 'none' }) },
      clientAttestation: {
        required: attested === true,
        ...parsed.clientAttestation,
        ...(attested && { expectedClientId: grant.request.get('client_id') ?? '' }),
      },
      pkce: {
        codeChallenge: grant.request.get('code_challenge') ?? '',
        codeChallengeMethod: 'S256' as never,
        ...(parsed.pkceCodeVerifier && { codeVerifier: parsed.pkceCodeVerifier }),
      },
    })
    if (!this.#hasChallenge(ask)) return { ...ok({ error: 'use_attestation_challenge' }), status: 400 }
    if (form.redirect_uri !== grant.request.get('redirect_uri')) throw new Error('another redirect_uri')
    return this.#grantTokens(grant.jkt, this.#options.renews !== true)
  }

  #renew({ refresh_token: token = '' }: Record<string, string>): Answer {
    if (!this.#refresh.has(token)) return { ...ok({ error: 'invalid_grant' }), status: 400 }
    const jkt = this.#refresh.get(token)
    this.#refresh.delete(token)
    return this.#grantTokens(jkt, true)
  }

  #grantTokens(jkt: string | undefined, isValid: boolean): Answer {
    const [token, refresh] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')]
    if (isValid) this.#tokens.set(token, jkt)
    if (this.#options.renews) this.#refresh.set(refresh, jkt)
    const type = this.#options.dpop ? 'DPoP' : 'Bearer'
    const renewal = this.#options.renews ? { refresh_token: refresh } : {}
    return ok({ access_token: token, token_type: type, expires_in: 300, ...renewal })
  }

  /** Tokens that were given out are worth nothing from now on. */
  expireTokens(): void {
    this.#tokens.clear()
  }

  /** Draft 10 of attestation-based client authentication, 12.1: a proof of possession is accepted once. */
  #isReplayed({ headers }: Incoming): boolean {
    const { jti } = payloadOf(headers['oauth-client-attestation-pop'])
    if (jti === undefined) return false
    if (this.#spent.has(jti)) return true
    this.#spent.add(jti)
    return false
  }

  #lacksNonce({ headers }: Incoming): boolean {
    return this.#options.dpop === true && payloadOf(headers.dpop).nonce !== DPOP_NONCE
  }

  #hasChallenge({ headers }: Incoming): boolean {
    return !this.#options.attested || payloadOf(headers['oauth-client-attestation-pop']).challenge === CHALLENGE
  }

  #requestOf({ headers }: Incoming, path: string) {
    const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
    return { headers: new Headers(entries), method: 'POST' as const, url: `${this.#issuer}${path}` }
  }
}

function payloadOf(jwt: string | string[] | undefined): Record<string, unknown> {
  const [, payload = ''] = typeof jwt === 'string' ? jwt.split('.') : []
  return payload === '' ? {} : JSON.parse(Buffer.from(payload, 'base64url').toString())
}

function useNonce(status: number): Answer {
  const headers = { 'dpop-nonce': DPOP_NONCE, 'www-authenticate': 'DPoP error="use_dpop_nonce"' }
  return { ...ok({ error: 'use_dpop_nonce' }), status, headers }
}

function ok(body: unknown): Answer {
  return { status: 200, type: 'application/json', body }
}
