import { Fault, faults } from '../../../fault.ts'
import { asFault } from '../../../http/routes/faults.ts'
import type { Platform } from '../../../platform.ts'
import {
  type AuthorizationRequest,
  type Parameters,
  presentParameters,
  readAuthorizationRequest,
} from '../../../protocols/oauth2/authorization-request.ts'
import { withParameters } from '../../../protocols/oauth2/redirect-uri.ts'
import { platformTenantId } from '../../../store/store.ts'
import { CONTINUE_CHARS_MAX } from '../../sign-in/continue-path.ts'
import { findSession, type Session } from '../../sign-in/session.ts'
import { makeCode } from '../grants/authorization-code.ts'
import {
  type Decision,
  type IdTokenHint,
  requestRulesOf,
  type ServerInstance,
  type UserPolicy,
  type UserRequest,
} from '../instance.ts'
import { satisfiesAcr } from '../openid/acr.ts'
import { spendPushedRequest } from '../request/pushed-request-store.ts'
import { type TrustedRequest, trustRequest } from '../request/trust-request.ts'
import { steps } from '../steps.ts'
import { readSince, withSince } from './reauthentication.ts'
import { signInMembers } from './sign-in-members.ts'

/** A request of a browser at the authorization endpoint. */
type AuthorizeAsk = {
  readonly platform: Platform
  readonly instance: ServerInstance
  readonly query: Parameters
  readonly cookie: string | undefined
  readonly ip: string
  readonly requestId: string
}
type Trusted = AuthorizeAsk & TrustedRequest
type Checked = Trusted & {
  readonly users: UserPolicy
  readonly request: AuthorizationRequest
  /** The session of the browser, if its user can use the client. */
  readonly session: Session | null
  /** Whether the browser has a session, perhaps of another tenant. */
  readonly isSignedIn: boolean
  readonly hint: IdTokenHint | null
  /** When the request first arrived; null: this is the first time. */
  readonly since: Date | null
}

/** Until these pass nothing is sent to the redirect URI: errors are shown as a page. */
export const trustSteps = steps<AuthorizeAsk>().step(
  'client and redirect_uri are known (RFC 6749 4.1.2.1); a request_uri is unspent and of this client (RFC 9126 4)',
  ({ platform, instance, query }) => trustRequest(platform, instance, query),
)

/** Errors of these are sent to the client. */
export const requestSteps = steps<Trusted>()
  .step('the client may use the code flow (RFC 6749 4.1.2.1)', findUsers)
  .step('a client that must push its requests has pushed this one (RFC 9126 6)', checkPushed)
  .step('the user has not declined (RFC 6749 4.1.2.1)', checkDeclined)
  .step(
    'response_type, response_mode, PKCE, scope, prompt, max_age (RFC 6749 4.1.1, RFC 7636 4.4.1, OpenID Connect Core 3.1.2.2)',
    ({ parameters, instance, client }) => ({
      request: readAuthorizationRequest(parameters, requestRulesOf(instance, client)),
    }),
  )
  .step(
    'the server has what the request asks for (OpenID4VCI 5.1)',
    async ({ platform, users, request, parameters }) => {
      await users.check?.(platform, request, parameters)
      return {}
    },
  )
  .step('id_token_hint is an ID token for the client (OpenID Connect Core 3.1.2.2)', readHint)
  .step('a user of the tenant is signed in (OpenID Connect Core 3.1.2.3)', findSignIn)

/**
 * Answers an authorization request: the address to which the browser is redirected.
 *
 * @throws Fault where client or redirect URI are not trusted: shown as a page
 * @see [RFC 6749, 4.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1), [RFC 9207](https://www.rfc-editor.org/rfc/rfc9207)
 */
export async function authorize(ask: AuthorizeAsk): Promise<string> {
  const trusted = await trustSteps.run(ask)
  try {
    return await answer(await requestSteps.run(trusted))
  } catch (error) {
    const { code, detail } = asFault(error)
    // RFC 6749 4.1.2.1: a redirect cannot carry a status, so a failure of the server stays a page
    if (faults[code].oauth[0] >= 500) throw error
    await spend(trusted)
    return respond(trusted, {
      error: faults[code].oauth[1],
      error_description: printable(detail ?? faults[code].title),
    })
  }
}

function findUsers({ client, instance }: Trusted): { readonly users: UserPolicy } {
  const { users } = instance
  if (users === null || !client.grantTypes.includes('authorization_code')) throw new Fault('client.unauthorized')
  return { users }
}

function checkPushed({ client, pushed }: Trusted): object {
  if (!client.parRequired || pushed !== null) return {}
  throw new Fault('request.invalid', { detail: 'The client must push its authorization requests.' })
}

function checkDeclined({ query }: Trusted): object {
  if (query.consent === 'denied') throw new Fault('consent.denied')
  return {}
}

async function readHint({ platform, client, request, users }: Trusted & Pick<Checked, 'request' | 'users'>) {
  if (request.idTokenHint === null || users.readHint === undefined) return { hint: null }
  const hint = await users.readHint(platform, request.idTokenHint)
  if (hint?.clientId === client.clientId) return { hint }
  throw new Fault('request.invalid', { detail: 'The id_token_hint is not an ID token for the client.' })
}

async function findSignIn({ platform, client, cookie, query }: Trusted) {
  const found = await findSession(platform, cookie)
  // A client signs in the users of its own tenant; one of the platform those of every tenant.
  const isOurs = client.tenantId === platformTenantId || found?.tenantId === client.tenantId
  const session = isOurs ? found : null
  return { session, isSignedIn: found !== null, since: await readSince(platform, presentParameters(query)) }
}

async function answer(checked: Checked): Promise<string> {
  const { platform, users, request, session } = checked
  const isSilent = request.prompts.includes('none')
  if (session === null || needsSignIn(checked, session)) {
    if (isSilent) throw new Fault('login.required')
    return toSignIn(checked)
  }
  const decision = await users.decide(platform, userRequestOf(checked, session))
  if (decision.kind === 'sign-in') return isSilent ? Promise.reject(new Fault('login.required')) : toSignIn(checked)
  if (decision.kind === 'grant') return grant(checked, session, decision)
  if (isSilent) throw new Fault('consent.required')
  return interact(checked, users.consentPage, {})
}

function userRequestOf(checked: Checked, session: Session): UserRequest {
  const { client, request, parameters, query, since, ip, requestId } = checked
  return { client, session, request, parameters, consent: query.consent, since, ip, requestId }
}

async function grant(
  checked: Checked,
  session: Session,
  { scopes, details, ...madeFrom }: Extract<Decision, { kind: 'grant' }>,
): Promise<string> {
  const { platform, instance, client, request, redirectUri, instanceKey } = checked
  // RFC 9126 4: a request_uri is used once
  if (!(await spend(checked))) throw new Fault('request_uri.invalid')
  const { challenge, nonce, dpopJkt } = request
  const { clientId } = client
  const { tenantId, userId, sessionId, authenticatedAt, methods } = session
  const signIn = { tenantId, userId, sessionId, authenticatedAt, methods }
  const bound = { challenge, dpopJkt, instanceKey }
  const about = { issuer: instance.issuer, clientId, redirectUri, ...bound, scopes, nonce, details }
  return respond(checked, { code: await makeCode(platform, signIn, about, madeFrom) })
}

/**
 * Whether the user has to authenticate, although there is a session. A sign-in that this request led to is recent
 * enough.
 */
function needsSignIn({ platform, request, hint, since }: Checked, session: Session): boolean {
  const { authenticatedAt, userId, methods } = session
  // OpenID Connect Core 3.1.2.3: the hint names another user
  if (hint !== null && hint.userId !== userId) return true
  if (since !== null && authenticatedAt >= since) return false
  const { prompts, maxAgeSeconds, acrValues } = request
  if (prompts.includes('login') || prompts.includes('select_account')) return true
  const ageMs = platform.clock.now().getTime() - authenticatedAt.getTime()
  // OpenID Connect Core 3.1.2.1: max_age
  if (maxAgeSeconds !== null && ageMs > maxAgeSeconds * 1000) return true
  return !prompts.includes('none') && !satisfiesAcr(methods, acrValues)
}

async function toSignIn(checked: Checked): Promise<string> {
  const { platform, users, request, parameters } = checked
  const needsClaims = await users.needsClaims?.(platform, request, parameters)
  const members = await signInMembers(platform, { ...checked, hintedUser: checked.hint?.userId ?? null })
  return interact(checked, '/sign-in', { ...members, ...(needsClaims === true && { claims: '1' }) })
}

/** Sends the browser to a page that returns it to this request. */
async function interact(checked: Checked, page: string, more: Readonly<Record<string, string>>): Promise<string> {
  const { platform, instance, since, query } = checked
  const kept = await withSince(platform, presentParameters(query), since ?? platform.clock.now())
  const path = new URL(instance.endpoints.authorization ?? instance.issuer).pathname
  const address = withParameters(path, kept)
  // The pages take no longer ones.
  if (address.length > CONTINUE_CHARS_MAX)
    throw new Fault('request.invalid', { detail: 'The request is too long for a link: push it (RFC 9126).' })
  return withParameters(page, { continue: address, ...more })
}

/** Spends the request_uri, if there is one. Returns false if another request has spent it. */
async function spend({ platform, client, pushed }: Trusted): Promise<boolean> {
  if (pushed === null) return true
  return platform.store.single(client.tenantId, (tx) => spendPushedRequest(tx, pushed))
}

/** RFC 6749 4.1.2 and RFC 9207 2: every response has the state of the request, and our issuer identifier. */
function respond({ instance, redirectUri, parameters }: Trusted, response: Readonly<Record<string, string>>): string {
  return withParameters(redirectUri, { ...response, state: parameters.state, iss: instance.issuer })
}

/** RFC 6749 4.1.2.1 */
function printable(text: string): string {
  return text.slice(0, 200).replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?')
}
