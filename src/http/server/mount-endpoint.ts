import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { presentedToken } from '../routes/bearer-token.ts'
import type { Endpoint, EndpointBodyKind, EndpointResponse } from '../routes/endpoint.ts'
import { checkMaker, type ValueCheck } from '../validation/check.ts'
import { BODY_BYTES_MAX, isJsonType, mediaTypeOf, readFields, readForm, readJson, readUpload } from './body.ts'
import type { CrossOrigin } from './cross-origin.ts'
import { type KnownPath, routerPath } from './known-paths.ts'
import type { AuthenticateRequest } from './mount-route.ts'
import { singleMembers } from './query.ts'
import { sendResponse } from './send-response.ts'

/** An endpoint with the compiled check of its body. */
type MountedEndpoint = { readonly endpoint: Endpoint; readonly checkBody: ValueCheck | null }

/** What every endpoint needs from the server. */
type EndpointNeeds = { readonly platform: Platform; readonly authenticate: AuthenticateRequest }

const FORM = 'application/x-www-form-urlencoded'
const UPLOAD = 'multipart/form-data'

/** Mounts the endpoints of the protocol surface. */
export function mountEndpoints(
  app: FastifyInstance,
  needs: EndpointNeeds,
  endpoints: readonly Endpoint[],
): KnownPath[] {
  const check = checkMaker()
  return endpoints.map((endpoint) => {
    const mounted = { endpoint, checkBody: endpoint.body === undefined ? null : check(endpoint.body, 'body') }
    app.route({
      method: endpoint.method,
      url: routerPath(endpoint.path),
      bodyLimit: endpoint.bodyBytesMax ?? BODY_BYTES_MAX,
      onRequest: async (request, reply) => {
        request.trace.pattern = endpoint.path
        request.trace.edge = endpoint.faultsAs ?? 'oauth'
        request.trace.crossOrigin = crossOriginOf(endpoint)
        await admitEndpoint(needs, endpoint, request)
        const { headers, url, ip } = request
        const early = await endpoint.admit?.({ platform: needs.platform, headers, url, ip })
        return early ? send(endpoint, reply, early) : undefined
      },
      handler: (request, reply) => runEndpoint(needs, mounted, request, reply),
    })
    return { pattern: endpoint.path, method: endpoint.method, crossOrigin: crossOriginOf(endpoint), host: null }
  })
}

function crossOriginOf({ crossOrigin, clientOrigins }: Endpoint): CrossOrigin {
  if (crossOrigin) return 'any'
  return clientOrigins ? 'clients' : null
}

/**
 * Requires an access token where the endpoint needs one, and authenticates its caller where it says how, before the
 * body is read.
 *
 * @throws Fault `token.missing`, `token.invalid`, and those of `callerOf`
 */
async function admitEndpoint(
  { platform, authenticate }: EndpointNeeds,
  { needsToken, callerOf }: Endpoint,
  request: FastifyRequest,
): Promise<void> {
  const { headers, ip, id: requestId } = request
  if (needsToken) presentedToken(headers.authorization)
  if (callerOf === undefined) return
  const asCaller = () => authenticate(request, requestId, ip)
  request.trace.caller = await callerOf({ platform, headers, ip, requestId, authenticate: asCaller })
}

/** Reads the request, runs the endpoint and sends its response unchanged. */
async function runEndpoint(
  { platform, authenticate }: EndpointNeeds,
  mounted: MountedEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { endpoint } = mounted
  const { query, body } = await readContext(mounted, request)
  const answer = await endpoint.handle({
    platform,
    params: paramsOf(request, endpoint.path),
    query,
    body,
    headers: request.headers,
    method: request.method,
    url: request.url,
    ip: request.ip,
    requestId: request.id,
    authenticate: () => authenticate(request, request.id, request.ip),
    caller: request.trace.caller,
  })
  return send(endpoint, reply, answer)
}

async function readContext(mounted: MountedEndpoint, request: FastifyRequest) {
  try {
    return { query: singleMembers(request.query), body: await bodyOf(mounted, request) }
  } catch (cause) {
    const { unreadable, faultsAs } = mounted.endpoint
    if (unreadable === undefined || !(cause instanceof Fault)) throw cause
    // RFC 9110 15.5.16; OAuth has its own code for it.
    if (faultsAs === 'scim' && cause.code === 'request.media_type') throw cause
    const detail = cause.detail ?? cause.violations?.map((one) => one.detail).join(' ')
    throw new Fault(unreadable, { ...(detail !== undefined && { detail }) })
  }
}

/** The path parameters; the router's `*` gets the name in the path pattern. */
function paramsOf({ params }: FastifyRequest, path: string): Readonly<Record<string, string>> {
  // The router returns an object of strings.
  const { '*': rest, ...named } = params as Readonly<Record<string, string>>
  return rest === undefined ? named : { ...named, [/\{([^{}*]+)\*\}$/.exec(path)?.[1] ?? 'rest']: rest }
}

function bodyOf({ endpoint, checkBody }: MountedEndpoint, request: FastifyRequest): unknown {
  if (endpoint.accepts === 'none') return undefined
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const given = mediaTypeOf(request.headers['content-type'])
  // A body without a type is JSON where nothing else is accepted, and no browser would send it by itself.
  const isUntyped = given === '' && endpoint.accepts === 'json' && endpoint.needsToken === true
  const type = isUntyped ? 'application/json' : given
  if (endpoint.accepts === 'upload' && type === UPLOAD && bytes.length > 0)
    return readUpload(bytes, request.headers['content-type'] ?? '')
  const body = readBody(endpoint.accepts, type, bytes)
  if (typeof body !== 'string') checkBody?.(body, bytes.length)
  return body
}

/**
 * Parses a body. Without a byte its media type says nothing: it is an empty form where a form is accepted, and no JSON.
 */
function readBody(accepts: EndpointBodyKind, type: string, bytes: Buffer): unknown {
  const isFields = accepts === 'fields' || accepts === 'upload'
  const isForm = isFields || accepts === 'form' || accepts === 'form-or-json'
  const isEmpty = bytes.length === 0
  if (isForm && (type === FORM || isEmpty)) return isFields ? readFields(bytes) : readForm(bytes)
  if (accepts === 'json-or-jwt' && type === 'application/jwt') return bytes.toString('latin1').trim()
  if (isEmpty || (accepts !== 'form' && !isFields && isJsonType(type))) return readJson(bytes)
  const detail = `Send the body as ${isForm ? FORM : 'application/json'}.`
  throw new Fault('request.media_type', { detail })
}

function send(endpoint: Endpoint, reply: FastifyReply, answer: EndpointResponse): FastifyReply {
  const { body = null, status } = answer
  const headers: Record<string, string | readonly string[]> = {}
  // A response to POST is for its caller only.
  if (endpoint.method === 'POST') headers['cache-control'] = 'no-store'
  Object.assign(headers, answer.headers)
  if (body === null) return sendResponse(reply, { status, headers, body })
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable
  // RFC 8259 11: no charset on JSON
  headers['content-type'] = answer.type ?? (isRaw ? 'application/octet-stream' : 'application/json')
  return sendResponse(reply, { status, headers, body: isRaw ? body : JSON.stringify(body) })
}
