import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { bearerToken } from '../routes/bearer-token.ts'
import type { Endpoint, EndpointBodyKind, EndpointResponse } from '../routes/endpoint.ts'
import type { Check, checkMaker } from '../validation/check.ts'
import { isJsonType, mediaTypeOf, readForm, readJson } from './body.ts'
import { sendWhole } from './send-whole.ts'

/** An endpoint with its check. */
export type MountedEndpoint = { readonly endpoint: Endpoint; readonly checkBody: Check | null }

const FORM = 'application/x-www-form-urlencoded'

/** Prepares an endpoint. Nothing is compiled before the first request. */
export function mountEndpoint(endpoint: Endpoint, check: ReturnType<typeof checkMaker>): MountedEndpoint {
  return { endpoint, checkBody: endpoint.body === undefined ? null : check(endpoint.body, 'body') }
}

/** Before a byte of the body is read: is there a token, where one is needed. @throws Fault `token.missing`, `token.invalid` */
export function admitEndpoint({ needsToken }: Endpoint, { headers }: FastifyRequest): void {
  if (needsToken) bearerToken(headers.authorization)
}

/** Reads the request loosely, runs the handle and sends what it says, byte for byte. */
export async function runEndpoint(
  platform: Platform,
  mounted: MountedEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { endpoint } = mounted
  const { query, body } = readAsk(mounted, request)
  const answer = await endpoint.handle({
    platform,
    // The router makes an object of strings out of the path.
    params: plainParams(request.params as Readonly<Record<string, string>>, endpoint.path),
    query,
    body,
    headers: request.headers,
    method: request.method,
    url: request.url,
    ip: request.ip,
    requestId: request.id,
  })
  return send(endpoint, reply, answer)
}

function readAsk(mounted: MountedEndpoint, request: FastifyRequest) {
  try {
    return { query: singleMembers(request.query), body: bodyOf(mounted, request) }
  } catch (cause) {
    const { unreadable } = mounted.endpoint
    if (unreadable === undefined || !(cause instanceof Fault)) throw cause
    throw new Fault(unreadable, { ...(cause.detail !== undefined && { detail: cause.detail }) })
  }
}

/** The rest of a path goes by its own name, the router calls it `*`. */
function plainParams(params: Readonly<Record<string, string>>, path: string): Readonly<Record<string, string>> {
  const rest = params['*']
  if (rest === undefined) return params
  const name = /\{([^{}*]+)\*\}$/.exec(path)?.[1] ?? 'rest'
  return { ...params, [name]: rest }
}

/** RFC 6749 3.1 and 3.2: request parameters must not be included more than once. */
function singleMembers(query: unknown): Readonly<Record<string, string | undefined>> {
  // The query parser makes strings, and lists of them where a member is repeated.
  const members = query as Readonly<Record<string, string | string[]>>
  for (const name in members) {
    if (typeof members[name] === 'string') continue
    const violations = [{ detail: `${name.slice(0, 100)} is there more than once.`, parameter: name.slice(0, 100) }]
    throw new Fault('request.invalid', { violations })
  }
  return members as Readonly<Record<string, string>>
}

function bodyOf({ endpoint, checkBody }: MountedEndpoint, request: FastifyRequest): unknown {
  if (endpoint.accepts === 'none') return undefined
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const type = mediaTypeOf(request.headers['content-type'])
  const body = readBody(endpoint.accepts, type, bytes)
  if (typeof body !== 'string') checkBody?.(body, bytes.length)
  return body
}

function readBody(takes: EndpointBodyKind, type: string, bytes: Buffer): unknown {
  const forms = takes === 'form' || takes === 'form-or-json'
  if (forms && (type === FORM || (type === '' && bytes.length === 0))) return readForm(bytes)
  if (takes !== 'form' && isJsonType(type)) return readJson(bytes)
  if (takes === 'json-or-jwt' && type === 'application/jwt') return bytes.toString('latin1').trim()
  const detail = `Send the body as ${forms ? FORM : 'application/json'}.`
  throw new Fault('request.media_type', { detail })
}

function send(endpoint: Endpoint, reply: FastifyReply, answer: EndpointResponse): FastifyReply {
  const { body, status } = answer
  const headers: Record<string, string | readonly string[]> = {}
  // B.2: what a POST hands out is for its caller only
  if (endpoint.method === 'POST') headers['cache-control'] = 'no-store'
  if (endpoint.crossOrigin) headers['access-control-allow-origin'] = '*'
  Object.assign(headers, answer.headers)
  if (body === undefined) return sendWhole(reply, { status, headers, body: null })
  const isBytes = typeof body === 'string' || Buffer.isBuffer(body)
  if (!isBytes && isStream(body)) return sendStream(reply, answer, headers, body)
  // RFC 8259 11: no charset on JSON
  headers['content-type'] = answer.type ?? (isBytes ? 'application/octet-stream' : 'application/json')
  return sendWhole(reply, { status, headers, body: isBytes ? body : JSON.stringify(body) })
}

function sendStream(
  reply: FastifyReply,
  { status, type }: EndpointResponse,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body: object,
): FastifyReply {
  for (const [name, value] of Object.entries(headers)) {
    reply.header(name, typeof value === 'string' ? value : [...value])
  }
  return reply
    .header('content-type', type ?? 'application/octet-stream')
    .code(status)
    .send(body)
}

function isStream(body: object): boolean {
  return 'pipe' in body && typeof body.pipe === 'function'
}
