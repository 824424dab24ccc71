import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, holds } from '../../caller.ts'
import type { Config } from '../../config.ts'
import type { Group } from '../../contract/api-operation.ts'
import { JSON_VALUES_MAX } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { answerType, notAcceptable } from '../routes/accept.ts'
import { toErrors } from '../routes/faults.ts'
import { answerOnce, type Idempotency, idempotentRequestOf, type KeptAnswer } from '../routes/idempotency.ts'
import { singleOperation } from '../routes/operation.ts'
import { type Answer, FileBody, type RawAnswer, type Route } from '../routes/route.ts'
import { checkMaker, type ValueCheck } from '../validation/check.ts'
import { checkTexts } from '../validation/check-texts.ts'
import { BODY_BYTES_MAX, charsetOf, isJsonType, mediaTypeOf, readJson, readLargeJson } from './body.ts'
import { type KnownPath, routerPath } from './known-paths.ts'
import { singleMembers, timesOf, withOffsets } from './query.ts'
import { sendResponse } from './send-response.ts'
import { type Write, writer } from './write.ts'

/**
 * Authenticates a request by its token. `url` is the public address, without query.
 *
 * @throws Fault `token.missing`, `token.invalid`
 */
export type AuthenticateRequest = (
  request: { readonly headers: FastifyRequest['headers']; readonly method: string; readonly url: string },
  requestId: string,
  ip: string,
) => Promise<Caller>

/** A route with its checks and its serializer, at one public address. */
type MountedRoute = {
  readonly route: Route
  /** Path where it is mounted, group prefix included, with `{names}`. */
  readonly pattern: string
  /** Length of the group prefix in the path of a request. */
  readonly prefixLength: number
  /** Public URL of the group. */
  readonly base: string
  readonly offered: readonly string[]
  readonly checkParams: ValueCheck | null
  /** The parameters of the query that are times. */
  readonly times: readonly string[]
  readonly checkQuery: ValueCheck
  readonly checkBody: ValueCheck
  readonly write: Write | null
}

/** What every route needs from the server. */
type RouteNeeds = {
  readonly platform: Platform
  readonly authenticate: AuthenticateRequest
  readonly idempotency: Idempotency | null
}

const nothing = { type: 'object', additionalProperties: false, properties: {} }

/** Mounts the routes, each at every place where its group is served. */
export function mountRoutes(app: FastifyInstance, needs: RouteNeeds, routes: readonly Route[]): KnownPath[] {
  const check = checkMaker()
  return routes.flatMap((route) =>
    placesOf(route.group, needs.platform.config).map((place) => {
      const mounted = prepareRoute(route, place, check, needs.platform.config)
      app.route({
        method: route.method,
        url: routerPath(mounted.pattern),
        ...(route.bodyBytesMax !== undefined && { bodyLimit: route.bodyBytesMax }),
        ...(place.host === null ? {} : { constraints: { host: place.host } }),
        onRequest: async (request) => {
          request.trace.pattern = mounted.pattern
          request.trace.edge = 'api'
          request.trace.crossOrigin = 'clients'
          await admitRoute(needs, mounted, request)
        },
        handler: (request, reply) => runRoute(needs, mounted, request, reply),
      })
      return { pattern: mounted.pattern, method: route.method, crossOrigin: 'clients' as const, host: place.host }
    }),
  )
}

/** The places where a group is served: its default prefix, and its own public address if that is another one. */
function placesOf(group: Group, config: Config): { prefix: string; base: string; host: string | null }[] {
  const base = { wallet: config.walletBaseUrl, creds: config.credsBaseUrl, onboarding: config.onboardingBaseUrl }[group]
  const own = { prefix: `/${group}`, base, host: null }
  const url = new URL(base)
  const prefix = url.pathname.replace(/\/$/, '')
  const isElsewhere = url.origin !== config.publicUrl
  if (!isElsewhere && prefix === own.prefix) return [own]
  return [own, { prefix, base, host: isElsewhere ? url.host : null }]
}

/** Prepares a route for one address. Its schemas are compiled at the first request. */
function prepareRoute(
  route: Route,
  place: { prefix: string; base: string },
  check: ReturnType<typeof checkMaker>,
  config: Config,
): MountedRoute {
  return {
    route,
    pattern: place.prefix + route.path,
    prefixLength: place.prefix.length,
    base: place.base,
    offered: ['application/json', ...(route.produces ?? [])],
    checkParams: route.params === undefined ? null : check(route.params, 'path'),
    times: timesOf(route.query),
    checkQuery: check(route.query ?? nothing, 'query'),
    checkBody: check(route.body ?? nothing, 'body', (body, accepted) => [
      ...(route.moreViolations?.(body) ?? []),
      ...(route.rules?.(accepted, config) ?? []),
    ]),
    write: route.reply === undefined ? null : writer(route.reply, route.noEnvelope === true),
  }
}

/** Negotiates the media type, authenticates the caller and checks the scope, before the body is read. */
async function admitRoute(needs: RouteNeeds, mounted: MountedRoute, request: FastifyRequest) {
  const { route, offered } = mounted
  if (answerType(request.headers.accept, offered) === null) throw notAcceptable(offered)
  const { headers, method } = request
  const caller = await needs.authenticate({ headers, method, url: publicUrl(mounted, request) }, request.id, request.ip)
  request.trace.caller = caller
  if (route.scope !== null && !holds(caller, route.scope)) {
    const detail = `The token lacks the scope ${route.scope}.`
    throw new Fault('scope.missing', { detail, meta: { requiredScope: route.scope } })
  }
}

/** Validates the request, runs the route and sends its answer; a repeated request gets the first answer. */
async function runRoute(needs: RouteNeeds, mounted: MountedRoute, request: FastifyRequest, reply: FastifyReply) {
  const { caller } = request.trace
  if (caller === null) throw new Fault('token.missing')
  const context = await readContext(needs.platform, caller, mounted, request)
  const key = request.headers['idempotency-key']
  const repeatable = await idempotentRequestOf(key, request.method, request.url, context.body)
  if (repeatable === null || needs.idempotency === null) {
    return sendResponse(reply, responseOf(mounted, await mounted.route.handle(context)))
  }
  const kept = await answerOnce(needs.idempotency, caller, repeatable, async (operation) => {
    try {
      return keptAnswerOf(mounted, await mounted.route.handle({ ...context, operation }))
    } catch (error) {
      if (!(error instanceof Fault && error.isFinal)) throw error
      request.trace.fault = error.code
      return keptRefusalOf(error, request.id)
    }
  })
  return sendResponse(reply, kept)
}

/** The public address of a request, without query. */
function publicUrl({ base, prefixLength }: MountedRoute, { url }: FastifyRequest): string {
  const [path = ''] = url.split('?', 1)
  return base + path.slice(prefixLength)
}

async function readContext(platform: Platform, caller: Caller, mounted: MountedRoute, request: FastifyRequest) {
  const { headers } = request
  // The router returns path parameters as an object of strings.
  const params = request.params as Readonly<Record<string, string>>
  mounted.checkParams?.(params)
  const query = withOffsets(singleMembers(request.query), mounted.times)
  mounted.checkQuery(query)
  const body = await bodyOf(mounted, request)
  const responseType = answerType(headers.accept, mounted.offered) ?? 'application/json'
  const href = publicUrl(mounted, request)
  return {
    platform,
    caller,
    params,
    query,
    body,
    headers,
    href,
    responseType,
    operation: singleOperation(platform),
  }
}

async function bodyOf(mounted: MountedRoute, request: FastifyRequest): Promise<unknown> {
  const bytes = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : null
  if (bytes === null) {
    if (mounted.route.body === undefined) return undefined
    throw new Fault('request.invalid', { violations: [{ detail: 'A JSON body is required.', pointer: '' }] })
  }
  const type = mediaTypeOf(request.headers['content-type'])
  const files = mounted.route.fileBodies ?? []
  if (files.includes(type)) {
    const charset = type.startsWith('text/') ? charsetOf(request.headers['content-type']) : null
    return new FileBody(type, charset, bytes)
  }
  if (!isJsonType(type)) {
    throw new Fault('request.media_type', {
      detail: `Send the body as ${['application/json', ...files].join(' or ')}.`,
    })
  }
  const limits = { valuesMax: mounted.route.jsonValuesMax ?? JSON_VALUES_MAX }
  const body = bytes.length > BODY_BYTES_MAX ? await readLargeJson(bytes, limits) : readJson(bytes, limits)
  checkTexts(body, bytes)
  mounted.checkBody(body, bytes.length)
  return mounted.route.body === undefined ? undefined : body
}

function textOf({ route, write }: MountedRoute, { status, headers, ...rest }: Answer): KeptAnswer {
  const typed = write === null ? {} : { 'content-type': 'application/json' }
  return {
    status: status ?? route.status,
    headers: Object.assign(typed, headers, { 'cache-control': 'no-store' }),
    body: write === null ? '' : write(rest),
  }
}

function responseOf(
  mounted: MountedRoute,
  answer: Answer | RawAnswer,
): Omit<KeptAnswer, 'body'> & Pick<RawAnswer, 'body'> {
  if (answer.kind === 'answer') return textOf(mounted, answer)
  return { status: answer.status ?? mounted.route.status, headers: headersOf(mounted, answer), body: answer.body }
}

function keptAnswerOf(mounted: MountedRoute, answer: Answer | RawAnswer): KeptAnswer {
  const { body, ...head } = responseOf(mounted, answer)
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { ...head, body }
  throw new Error('a stream cannot be kept for repeated requests')
}

function keptRefusalOf(error: Fault, id: string): KeptAnswer {
  const { status, headers, body } = toErrors(error, id)
  const own = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers: { ...headers, ...own }, body: JSON.stringify(body) }
}

function headersOf({ offered }: MountedRoute, { type, headers }: RawAnswer): Record<string, string> {
  const vary: Record<string, string> = offered.length > 1 ? { vary: 'accept' } : {}
  return { ...headers, 'content-type': type, 'cache-control': 'no-store', ...vary }
}
