import type { IncomingHttpHeaders } from 'node:http'
import type { Scope } from '../../caller.ts'
import type { PathParams } from '../../contract/api-operation.ts'
import type { Language } from '../../contract/languages.ts'
import { Fault } from '../../fault.ts'
import {
  type Endpoint,
  type EndpointContext,
  type EndpointResponse,
  endpoint,
  type Fields,
  Upload,
  type UploadedFile,
} from '../../http/routes/endpoint.ts'
import type { Platform } from '../../platform.ts'
import { checkForm, checkOrigin, csrfKey, formToken } from '../csrf.ts'
import type { Page } from '../document.ts'
import { renderFault } from '../fault-page.ts'
import { CSRF_FIELD, type FormFrame } from '../form.ts'
import { type Html, html } from '../html.ts'
import { languageOf } from '../language.ts'
import { pageTexts } from '../messages/page-texts.ts'
import { ApiRefusal, type OwnApi, ownApi } from '../own-api.ts'
import { type OptionalCalls, optionalCalls } from './optional-calls.ts'
import { findPageSession, forgetDraft, keepDraft, knownPerson, type PageSession, renewMe } from './page-session.ts'
import { localPath, startSignIn } from './sign-in-flow.ts'
import { redirect, respond, type SignedInAnswer, withCookies } from './signed-in-answer.ts'
import type { Me } from './tokens.ts'

/** A request of a signed-in person. It reaches the organisation through the API only. */
export type SignedInContext<Params = Readonly<Record<string, string>>> = FormFrame &
  OptionalCalls & {
    readonly params: Params
    readonly query: Readonly<Record<string, string | undefined>>
    /** Of the posted form, or for GET of the one that the person could not send before the session ended. */
    readonly fields: Fields
    /** The fields are those of a form that was not sent: the person checks them and sends it again. */
    readonly isKept: boolean
    /** What was entered or opened before the sign-in could not be kept. */
    readonly isLost: boolean
    readonly language: Language
    /** Path and query of the request. */
    readonly here: string
    readonly now: Date
    readonly me: Me
    /** Our own origin. */
    readonly origin: string
    readonly api: OwnApi
    /** The ID token of the sign-in that began the session, as proof of it. It is shown to the API only. */
    readonly idToken: string
    readonly headers: IncomingHttpHeaders
    /** A file of the posted form, by the name of its member. */
    readonly fileOf: (name: string) => UploadedFile | null
    /**
     * For what the pages keep themselves, such as a table that is being checked. The rows of other rooms are behind the
     * API.
     */
    readonly own: Pick<Platform, 'store' | 'sealing' | 'clock' | 'memory'>
  }

/** Names the tenant whose sign-in a person without a session probably needs, by its slug; null: none is named. */
export type TenantHint = (given: Pick<SignedInContext, 'query' | 'fields' | 'origin'>) => string | null

type Spec<P extends string> = {
  readonly method: 'GET' | 'POST'
  readonly path: P
  readonly summary: string
  readonly bodyBytesMax?: number
  /** The form may have a file, up to `bodyBytesMax`. A large body is read only for a signed-in person. */
  readonly takesFile?: boolean
  /** The scope that a person needs to send the form; without it the form is refused before it is read. */
  readonly scope?: Scope
  readonly tenantHint?: TenantHint
  /** Whether the page is in the languages of the organisation of the person; by default in all. */
  readonly hasOwnLanguages?: boolean
  readonly handle: (context: SignedInContext<PathParams<P>>) => Promise<SignedInAnswer> | SignedInAnswer
  /** The page about a refused call. */
  readonly refused: (context: SignedInContext, refusal: ApiRefusal) => Page
}

const FORM_BYTES_MAX = 262_144
/** As long as a request line may be. */
const LINK_CHARS_MAX = 16_384
/** A page answers within 10 s, whatever the API does: from the request on, with a token that is renewed for it. */
const API_MS_MAX = 8000

/**
 * Declares a page for a signed-in person; others are led to the sign-in and back. Each path that takes a form also
 * answers GET: a form whose session has ended is kept, and shown there again after the sign-in. Nothing is changed by a
 * form that is not of this session and path.
 */
export function signedInEndpoint<const P extends string>(spec: Spec<P>): Endpoint {
  const { method, path, summary } = spec
  return endpoint({
    method,
    path,
    summary,
    tag: 'Pages',
    hidden: true,
    faultsAs: renderFault,
    accepts: method === 'GET' ? 'none' : spec.takesFile ? 'upload' : 'fields',
    bodyBytesMax: spec.bodyBytesMax ?? FORM_BYTES_MAX,
    ...(spec.takesFile && method === 'POST' && { admit: (request) => admitUpload(request, spec.scope) }),
    handle: async (request) => {
      const { platform, headers, ip } = request
      const deadline = performance.now() + API_MS_MAX
      if (method === 'POST') checkOrigin(platform.urls.publicUrl, headers)
      const session = await findPageSession(platform, headers.cookie, ip)
      if (session === null) return toSignIn(request, spec.tenantHint)
      if (session.hasOtherRoles && method === 'GET') return toSignIn(request)
      if (isStale(request, session, await csrfKey(platform))) return showAgain(request)
      const context = await contextOf(request, session, {
        hasOwnLanguages: spec.hasOwnLanguages === true,
        msMax: Math.max(1, deadline - performance.now()),
      })
      return answerTo(spec, request, session, context)
    },
  })
}

/**
 * Leads a browser without a session to the sign-in before its file is read, and refuses a person without the scope. A
 * form without a file is read, and kept.
 *
 * @throws Fault `scope.missing`, `form.foreign`
 */
async function admitUpload(
  { platform, headers, url, ip }: Parameters<NonNullable<Endpoint['admit']>>[0],
  scope: Scope | undefined,
) {
  const isSmall = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= FORM_BYTES_MAX
  if (isSmall && scope === undefined) return null
  checkOrigin(platform.urls.publicUrl, headers)
  const session = await findPageSession(platform, headers.cookie, ip)
  if (session === null) return isSmall ? null : redirect(`/session/start?to=${encodeURIComponent(url)}`)
  if (scope !== undefined && !session.me.scopes.includes(scope))
    throw new Fault('scope.missing', { meta: { requiredScope: scope } })
  return null
}

async function answerTo<P extends string>(
  spec: Spec<P>,
  request: EndpointContext,
  session: PageSession,
  context: SignedInContext,
) {
  try {
    // The path pattern names the parameters.
    const answer = await spec.handle(context as SignedInContext<PathParams<P>>)
    // Only now it is not needed any more: the page that shows it may not arrive, and be loaded again.
    if (request.method === 'POST' && session.draft?.path === pathOf(request.url))
      await forgetDraft(request.platform, session)
    if ('renewsMe' in answer) await renewMe(request.platform, session, request.ip).catch(notRenewed(request))
    return 'signInAgain' in answer ? await signAgain(request, context, answer) : respond(request, context, answer)
  } catch (error) {
    const refusal = refusalOf(error, request.requestId)
    if (refusal === null) throw error
    if (refusal.status === 401) return toSignIn(request)
    const { status } = refusal
    return respond(request, context, { page: spec.refused(context, refusal), status })
  }
}

/** What was changed is saved: it shows once the tokens are renewed. */
function notRenewed({ platform, requestId }: EndpointContext) {
  return (error: unknown) => platform.log.warn({ err: error, requestId }, 'a session shows what was saved later')
}

/** Leads a person to another sign-in, which binds its answer to this browser. */
async function signAgain(
  request: EndpointContext,
  context: SignedInContext,
  { signInAgain: { nonce, to } }: Extract<SignedInAnswer, { readonly signInAgain: object }>,
): Promise<EndpointResponse> {
  const again = { ...knownPerson(context.me), nonce, userId: context.me.id }
  const browser = { ip: request.ip, cookieHeader: request.headers.cookie }
  const { leaveFor, cookies } = await startSignIn(request.platform, to, browser, { again })
  return withCookies(respond(request, context, { leaveFor }), cookies)
}

/** What a page says about itself; an API that does not answer is one more refusal. */
function refusalOf(error: unknown, requestId: string): ApiRefusal | null {
  if (error instanceof ApiRefusal) return error
  if (!(error instanceof Fault) || error.code !== 'upstream.timeout') return null
  const late = { code: 'TIMEOUT', title: '', detail: '', pointer: null, requiredScope: null }
  return new ApiRefusal(504, [{ ...late, id: requestId }])
}

type Bounds = { readonly hasOwnLanguages: boolean; readonly msMax: number }

async function contextOf(request: EndpointContext, session: PageSession, bounds: Bounds): Promise<SignedInContext> {
  const { hasOwnLanguages, msMax } = bounds
  const { platform, params, query, headers, url, ip, body, requestId } = request
  const key = await csrfKey(platform)
  const language = languageOf({ url, headers }, hasOwnLanguages ? session.me.organisation.languages : undefined)
  const isKept = request.method === 'GET' && query.kept === '1' && session.draft?.path === pathOf(url)
  const isLost = request.method === 'GET' && query.kept === '0'
  const kept = isKept ? new Map(session.draft?.fields) : new Map()
  return {
    params,
    query,
    language,
    headers,
    isKept,
    isLost,
    here: url,
    me: session.me,
    now: platform.clock.now(),
    idToken: session.idToken,
    origin: platform.urls.publicUrl,
    // Endpoints that accept fields get a map, the others nothing.
    fields: body instanceof Map ? (body as Fields) : kept,
    texts: pageTexts[language],
    csrf: (action) => formToken(key, session.id, action),
    fileOf: (name) => (body instanceof Upload ? (body.files.get(name) ?? null) : null),
    own: platform,
    api: ownApi(platform, { accessToken: session.accessToken, ip, msMax }),
    ...optionalCalls({ log: platform.log, requestId }),
  }
}

/** Whether a form was made for another session or path. */
function isStale(
  { method, platform, headers, url, body }: EndpointContext,
  { id }: PageSession,
  key: Uint8Array,
): boolean {
  if (method !== 'POST') return false
  const token = body instanceof Map ? (body as Fields).get(CSRF_FIELD)?.[0] : undefined
  try {
    checkForm({ publicUrl: platform.urls.publicUrl, key, binding: id }, headers, pathOf(url), token)
    return false
  } catch (error) {
    if (error instanceof Fault && error.code === 'form.stale') return true
    throw error
  }
}

async function toSignIn(request: EndpointContext, tenantHint?: TenantHint): Promise<EndpointResponse> {
  const { method, url, query, headers, ip, body, platform } = request
  const to = method === 'POST' ? await keepForm(request) : url
  // Endpoints that accept fields get a map, the others nothing.
  const fields: Fields = body instanceof Map ? (body as Fields) : new Map()
  const tenant = tenantHint?.({ query, fields, origin: platform.urls.publicUrl }) ?? null
  if (localPath(to, '') !== '')
    return redirect(`/session/start?${new URLSearchParams({ to, ...(tenant !== null && { tenant }) })}`)
  // A link with a whole offer or request is too long for another address.
  const language = languageOf({ url, headers })
  const page = { language, here: '/', texts: pageTexts[language] }
  const back = localPath(printableAscii(to), '/', LINK_CHARS_MAX)
  const browser = { ip, cookieHeader: headers.cookie }
  const { leaveFor, cookies } = await startSignIn(platform, back, browser, { tenantHint: tenant })
  return withCookies(respond(request, page, { leaveFor }), cookies)
}

/** An address as browsers write it; what others send unescaped is escaped, so that it fits into a header. */
function printableAscii(path: string): string {
  return path.replaceAll(/[^!-[\]-~]/g, encodeURIComponent)
}

async function showAgain(request: EndpointContext): Promise<EndpointResponse> {
  return redirect(await keepForm(request))
}

/**
 * Keeps what was typed, and returns the path where it is shown again: with `kept=0` if there was nothing to keep it in.
 */
async function keepForm({ platform, headers, url, body }: EndpointContext): Promise<string> {
  const path = pathOf(url)
  const all = (body instanceof Map ? [...(body as Fields)] : []).filter(
    ([, values]) => lengthOf(values) <= FORM_BYTES_MAX,
  )
  const fields = all.filter(([name]) => name !== CSRF_FIELD)
  const isKept = await keepDraft(platform, headers.cookie, { path, fields })
  const members = new URLSearchParams(url.split('?', 2)[1])
  members.set('kept', isKept ? '1' : '0')
  return `${path}?${members}`
}

function lengthOf(values: readonly string[]): number {
  return values.reduce((sum, one) => sum + one.length, 0)
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

/** A note that a form was kept over a sign-in, or that nothing was. @param text For what was kept */
export function keptNote(
  { isKept, isLost, texts }: Pick<SignedInContext, 'isKept' | 'isLost' | 'texts'>,
  text: string,
): Html | null {
  if (!isKept && !isLost) return null
  return html`<div class="message warn" role="status"><p>${isKept ? text : texts.formLost}</p></div>`
}
