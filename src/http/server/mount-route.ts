import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, holds } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { notAcceptable, preferredType } from '../routes/accept.ts'
import { answerOnce, type Idempotency, idempotentRequestOf, type KeptAnswer } from '../routes/idempotency.ts'
import { singleOperation } from '../routes/operation.ts'
import { type Answer, type RawAnswer, type Route, TextBody } from '../routes/route.ts'
import type { Check, checkMaker } from '../validation/check.ts'
import { checkTexts } from '../validation/check-texts.ts'
import { isJsonType, mediaTypeOf, readJson, readText } from './body.ts'
import { sendWhole } from './send-whole.ts'
import { type Write, writer } from './write.ts'

/** Reads the token of a request. @throws Fault `token.missing`, `token.invalid` */
export type AuthenticateRequest = (headers: FastifyRequest['headers'], requestId: string, ip: string) => Promise<Caller>

/** A route with its checks and its serializer, at one public address. */
export type MountedRoute = {
  readonly route: Route
  /** Path where it is mounted, group prefix included, with `{names}`. */
  readonly pattern: string
  /** Length of the group prefix within a request's path. */
  readonly prefixLength: number
  /** Public URL of the group. */
  readonly base: string
  readonly offered: readonly string[]
  readonly checkParams: Check | null
  readonly checkQuery: Check
  readonly checkBody: Check
  readonly write: Write | null
}

/** What every route needs of the server. */
export type RouteNeeds = {
  readonly platform: Platform
  readonly authenticate: AuthenticateRequest
  readonly idempotency: Idempotency | null
}

const nothing = { type: 'object', additionalProperties: false, properties: {} }

/** Prepares a route for one place. Nothing is compiled before the first request. */
export function mountRoute(
  route: Route,
  place: { prefix: string; base: string },
  check: ReturnType<typeof checkMaker>,
): MountedRoute {
  return {
    route,
    pattern: place.prefix + route.path,
    prefixLength: place.prefix.length,
    base: place.base,
    offered: ['application/json', ...(route.produces ?? [])],
    checkParams: route.params === undefined ? null : check(route.params, 'path'),
    checkQuery: check(route.query ?? nothing, 'query'),
    checkBody: check(route.body ?? nothing, 'body'),
    write: route.reply === undefined ? null : writer(route.reply, route.noEnvelope === true),
  }
}

/** Before a byte of the body is read: who asks, and may they. */
export async function admitRoute(needs: RouteNeeds, { route, offered }: MountedRoute, request: FastifyRequest) {
  if (preferredType(request.headers.accept, offered) === null) throw notAcceptable(offered)
  const caller = await needs.authenticate(request.headers, request.id, request.ip)
  request.trace.caller = caller
  if (route.scope !== null && !holds(caller, route.scope)) {
    const detail = `The token lacks the scope ${route.scope}.`
    throw new Fault('scope.missing', { detail, meta: { requiredScope: route.scope } })
  }
}

/** Checks the request, runs the handle and sends its answer, or the first answer again if the request is a repetition. */
export async function runRoute(needs: RouteNeeds, mounted: MountedRoute, request: FastifyRequest, reply: FastifyReply) {
  const { caller } = request.trace
  if (caller === null) throw new Fault('token.missing')
  const end = request.url.indexOf('?')
  const path = end === -1 ? request.url : request.url.slice(0, end)
  const ask = readAsk(needs.platform, caller, mounted, request, path)
  const repeatable = idempotentRequestOf(request.headers['idempotency-key'], request.method, request.url, request.body)
  if (repeatable === null || needs.idempotency === null) {
    return send(mounted, reply, await mounted.route.handle(ask))
  }
  const kept = await answerOnce(needs.idempotency, caller, repeatable, async (operation) =>
    wholeOf(mounted, await mounted.route.handle({ ...ask, operation })),
  )
  return sendKept(reply, kept)
}

function readAsk(platform: Platform, caller: Caller, mounted: MountedRoute, request: FastifyRequest, path: string) {
  const { headers } = request
  // The router makes an object of strings out of the path, and of strings and lists of them out of the query.
  const params = request.params as Readonly<Record<string, string>>
  mounted.checkParams?.(params)
  mounted.checkQuery(request.query)
  const body = bodyOf(mounted, request)
  const responseType = preferredType(headers.accept, mounted.offered) ?? 'application/json'
  const href = mounted.base + path.slice(mounted.prefixLength)
  return {
    platform,
    caller,
    params,
    query: request.query,
    body,
    headers,
    href,
    responseType,
    operation: singleOperation(platform),
  }
}

function bodyOf(mounted: MountedRoute, request: FastifyRequest): unknown {
  const bytes = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : null
  if (bytes === null) {
    if (mounted.route.body === undefined) return undefined
    throw new Fault('request.invalid', { violations: [{ detail: 'A JSON body is needed.', pointer: '' }] })
  }
  const type = mediaTypeOf(request.headers['content-type'])
  const texts = mounted.route.textBodies ?? []
  if (texts.includes(type)) return new TextBody(type, readText(bytes))
  if (!isJsonType(type)) {
    throw new Fault('request.media_type', {
      detail: `Send the body as ${['application/json', ...texts].join(' or ')}.`,
    })
  }
  const body = readJson(bytes, { valuesMax: mounted.route.jsonValuesMax })
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

function wholeOf(mounted: MountedRoute, answer: Answer | RawAnswer): KeptAnswer {
  if (answer.kind === 'answer') return textOf(mounted, answer)
  const { body } = answer
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) throw new Error('a stream cannot be given again')
  return { status: answer.status ?? mounted.route.status, headers: headersOf(mounted, answer), body }
}

function headersOf({ offered }: MountedRoute, { type, headers }: RawAnswer): Record<string, string> {
  const vary: Record<string, string> = offered.length > 1 ? { vary: 'accept' } : {}
  return { ...headers, 'content-type': type, 'cache-control': 'no-store', ...vary }
}

function send(mounted: MountedRoute, reply: FastifyReply, answer: Answer | RawAnswer): FastifyReply {
  const isStream = answer.kind === 'raw' && typeof answer.body !== 'string' && !Buffer.isBuffer(answer.body)
  if (!isStream) return sendKept(reply, wholeOf(mounted, answer))
  reply.code(answer.status ?? mounted.route.status).headers(headersOf(mounted, answer))
  return reply.send(answer.body)
}

function sendKept(reply: FastifyReply, { status, headers, body }: KeptAnswer): FastifyReply {
  return sendWhole(reply, { status, headers, body: body.length === 0 ? null : body })
}
