import { Fault } from '../../fault.ts'
import { isCodeChallenge } from './pkce.ts'

/** Parameters of a request: each once, and omitted where the value was empty (RFC 6749 3.1). */
export type Parameters = Readonly<Record<string, string | undefined>>

/** Values of `prompt`. @see [OpenID Connect Core 1.0, 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest) */
export const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const
/** One of {@link PROMPTS}. */
type Prompt = (typeof PROMPTS)[number]

/** A validated authorization request, apart from client and redirect URI. */
export type AuthorizationRequest = {
  readonly scopes: readonly string[]
  /** PKCE challenge, S256; null: the client binds the code by `nonce`. */
  readonly challenge: string | null
  readonly nonce: string | null
  readonly prompts: readonly Prompt[]
  readonly maxAgeSeconds: number | null
  readonly acrValues: readonly string[]
  readonly loginHint: string | null
  readonly idTokenHint: string | null
  /** Thumbprint of the DPoP key that must redeem the code. */
  readonly dpopJkt: string | null
}

const VALUE_CHARS_MAX = 2048
const SCOPES_MAX = 50
/** JWT and JSON; and `state`, in which ASP.NET Core and Keycloak seal where the person came from. */
const LONG: ReadonlySet<string> = new Set(['id_token_hint', 'authorization_details', 'state'])
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/

/** What a server demands of authorization requests besides the specifications. */
export type RequestRules = {
  /** Whether `scope` must be there; else the caller checks what the request asks for. */
  readonly needsScope?: boolean
  /** Whether a request without `code_challenge` is refused also if an ID token with `nonce` protects its code. */
  readonly needsChallenge?: boolean
}

/** Returns the request parameters without the empty ones. @throws Fault `request.invalid` where one is too long */
export function presentParameters(parameters: Parameters): Parameters {
  const present = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '')
  for (const [name, value] of present) {
    const charsMax = LONG.has(name) ? 4 * VALUE_CHARS_MAX : VALUE_CHARS_MAX
    if ((value ?? '').length > charsMax || value?.includes('\0'))
      throw invalid(`${name.slice(0, 100)} is too long or contains NUL.`)
  }
  return Object.fromEntries(present)
}

/**
 * Validates the parameters of an authorization request whose client and redirect URI are trusted.
 *
 * NOT checked: client, redirect URI, which scopes the client gets, and whether a session satisfies the request.
 *
 * @param rules By default both are needed.
 * @throws Fault `request_object.unsupported`, `request_uri.unsupported`, `response_type.unsupported`,
 *   `request.invalid`, `scope.invalid`
 * @see [RFC 6749, 4.1.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1) and [OpenID Connect Core 1.0, 3.1.2.2](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequestValidation)
 */
export function readAuthorizationRequest(
  parameters: Parameters,
  { needsScope = true, needsChallenge = true }: RequestRules = {},
): AuthorizationRequest {
  checkUnsupported(parameters)
  const { scope, nonce } = parameters
  const scopes = [...new Set((scope ?? '').split(' ').filter((one) => one !== ''))]
  if ((scopes.length === 0 && needsScope) || scopes.length > SCOPES_MAX)
    throw new Fault('scope.invalid', { detail: 'scope is missing.' })
  const challenge = challengeIn(parameters, needsChallenge, scopes)
  const { dpop_jkt: dpopJkt = null } = parameters
  if (dpopJkt !== null && !THUMBPRINT.test(dpopJkt)) throw invalid('dpop_jkt is not a SHA-256 thumbprint.')
  return {
    scopes,
    challenge,
    nonce: nonce ?? null,
    prompts: promptsOf(parameters.prompt),
    maxAgeSeconds: maxAgeOf(parameters.max_age),
    acrValues: (parameters.acr_values ?? '').split(' ').filter((one) => one !== ''),
    loginHint: parameters.login_hint ?? null,
    idTokenHint: parameters.id_token_hint ?? null,
    dpopJkt,
  }
}

function challengeIn(parameters: Parameters, isNeeded: boolean, scopes: readonly string[]): string | null {
  const { code_challenge: challenge, code_challenge_method: method, nonce } = parameters
  if (challenge === undefined) {
    // RFC 7636 4.4.1 and RFC 9700 2.1.1: PKCE is required
    if (isNeeded || method !== undefined) throw invalid('code_challenge is missing.')
    // RFC 9700 2.1.1: a confidential client may rely on the nonce of its ID token instead
    if (nonce !== undefined && scopes.includes('openid')) return null
    throw invalid('A request without code_challenge must have nonce and the scope openid.')
  }
  // RFC 7636 4.3: without a method it would be plain
  if (method !== 'S256' || !isCodeChallenge(challenge)) throw invalid('code_challenge_method must be S256.')
  return challenge
}

function checkUnsupported(parameters: Parameters): void {
  // OpenID Connect Core 3.1.2.6: the errors of a server without request objects
  if (parameters.request !== undefined) throw new Fault('request_object.unsupported')
  if (parameters.request_uri !== undefined) throw new Fault('request_uri.unsupported')
  if (parameters.registration !== undefined) throw new Fault('registration.unsupported')
  const { response_type: type, response_mode: mode = 'query' } = parameters
  // RFC 6749 4.1.2.1: a missing parameter is invalid_request, another type unsupported_response_type
  if (type === undefined) throw invalid('response_type is missing.')
  if (type !== 'code') throw new Fault('response_type.unsupported')
  if (mode !== 'query') throw invalid('response_mode must be query.')
}

function promptsOf(text: string | undefined): Prompt[] {
  const named = (text ?? '').split(' ').filter((one) => one !== '')
  const prompts = PROMPTS.filter((one) => named.includes(one))
  if (prompts.length < new Set(named).size) throw invalid(`prompt is one or more of: ${PROMPTS.join(', ')}.`)
  // OpenID Connect Core 3.1.2.1: none stands alone
  if (prompts.includes('none') && prompts.length > 1) throw invalid('prompt=none cannot be combined.')
  return prompts
}

function maxAgeOf(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^\d{1,9}$/.test(text)) throw invalid('max_age is not a number of seconds.')
  return Number(text)
}

function invalid(detail: string): Fault {
  return new Fault('request.invalid', { detail })
}
