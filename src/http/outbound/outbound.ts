import type { buildConnector, Dispatcher } from 'undici'
import type { TenantId } from '../../caller.ts'
import type { Config } from '../../config.ts'
import { Fault } from '../../fault.ts'
import { NoPlace } from '../../memory/fair-places.ts'
import type { Memory } from '../../memory/memory.ts'
import { places } from '../../memory/places.ts'
import type {
  InternalRequest,
  InternalResponse,
  OutboundAnswer,
  OutboundFetch,
  OutboundRequest,
} from '../../platform.ts'
import { mediaTypeOf } from '../server/body.ts'
import { decodedBody } from '../server/decoded-body.ts'
import { inOutboundSpan } from '../telemetry/tracing.ts'
import { nameResolver } from './resolve-name.ts'
import {
  type AddressPolicy,
  isOnThisMachine,
  type Resolve,
  vetForProxy,
  vettedLookup,
  vettedUrl,
} from './vetted-address.ts'

const CONNECT_MS_MAX = 3000
const TOTAL_MS_MAX = 10_000
const HEADER_BYTES_MAX = 16_384
/**
 * The places of calls bound the sockets: a bound of the host would let one tenant occupy those to a host that others
 * call too.
 */
const SOCKETS_PER_HOST = places['http.outbound_calls'].countMax
const IDLE_SOCKET_MS = 10_000

type OwnBases = Pick<Config, 'publicUrl' | 'walletBaseUrl' | 'credsBaseUrl' | 'onboardingBaseUrl'>

/** What the outbound client needs. `inside` runs a request to our own public addresses inside the process. */
export type OutboundParts = {
  readonly config: AddressPolicy & OwnBases & Pick<Config, 'httpsProxy' | 'httpProxy' | 'noProxy'>
  readonly inside: (request: InternalRequest) => Promise<InternalResponse>
  readonly memory: Memory
  /** DNS queries to the name servers of the system by default. */
  readonly resolve?: Resolve
}

/** The outbound client. */
type Outbound = { readonly fetch: OutboundFetch; readonly close: () => Promise<void> }

type Hop = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: Buffer }
type SendHop = (url: URL, request: OutboundRequest, signal: AbortSignal) => Promise<Hop>

/** Opens the HTTP client for addresses that others choose. Undici is loaded at the first call. [9.2] */
export function openOutbound({ config, inside, memory, resolve }: OutboundParts): Outbound {
  let opening: Promise<Agents> | null = null
  const agent = async (url: URL) => {
    opening ??= openAgents(config, resolve ?? nameResolver())
    return (await opening).agentFor(url)
  }
  const inPlace = placesOf(memory)
  const isOurs = ownAddresses(config)
  const vet = (text: string) => vetted(text, isOurs, config)
  return {
    fetch: (tenantId, address, request) => {
      const send: SendHop = (url, sent, signal) =>
        isOurs(url)
          ? internalHop(inside, url, sent, signal)
          : inPlace(tenantId, url.host, signal, () => tracedHop(agent, url, sent, signal))
      return call(send, vet, address, request)
    },
    close: async () => (await opening)?.close(),
  }
}

/**
 * Returns what runs a call in places of its tenant: first in those to its host, since a call that waits for a slow host
 * must not occupy a place of the process.
 */
function placesOf(memory: Memory) {
  const ofProcess = memory.places('http.outbound_calls')
  const ofTenant = memory.groupedPlaces('http.outbound_calls_of_tenant')
  return <T>(tenantId: TenantId, host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
    ofTenant
      .hold(tenantId, host, () => ofProcess.hold(tenantId, work, { signal }), { signal })
      .catch((error: unknown) => {
        if (!(error instanceof NoPlace)) throw error
        throw new Fault('upstream.timeout', {
          detail: 'This tenant has too many outbound calls in progress.',
          cause: error,
        })
      })
}

/** `agentFor` vets what a proxy would be asked for. @throws Fault `upstream.refused` */
type Agents = { readonly agentFor: (url: URL) => Promise<Dispatcher>; readonly close: () => Promise<void> }

async function openAgents(config: OutboundParts['config'], resolve: Resolve): Promise<Agents> {
  const undici = await import('undici')
  const limits = {
    connections: SOCKETS_PER_HOST,
    headersTimeout: TOTAL_MS_MAX,
    bodyTimeout: TOTAL_MS_MAX,
    keepAliveTimeout: IDLE_SOCKET_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
  }
  const direct = new undici.Agent({ ...limits, connect: guardedConnector(undici.buildConnector, resolve, config) })
  const uri = config.httpsProxy ?? config.httpProxy
  const proxied = uri === null ? null : new undici.ProxyAgent({ ...limits, uri, connectTimeout: CONNECT_MS_MAX })
  return {
    agentFor: async (url) => {
      if (proxied === null || url.protocol !== 'https:' || isOnThisMachine(url) || config.noProxy?.(url)) return direct
      await vetForProxy(resolve, url, config)
      return proxied
    },
    close: async () => {
      await Promise.all([direct.close(), proxied?.close()])
    },
  }
}

function guardedConnector(
  build: typeof buildConnector,
  resolve: Resolve,
  policy: AddressPolicy,
): buildConnector.connector {
  return build({
    timeout: CONNECT_MS_MAX,
    allowH2: false,
    lookup: vettedLookup(resolve, policy),
    // The look-up has vetted the addresses of both families.
    autoSelectFamily: true,
  })
}

/** Our own public addresses: PUBLIC_URL, and the base URLs of the groups. */
function ownAddresses(config: OwnBases): (url: URL) => boolean {
  const bases = [config.walletBaseUrl, config.credsBaseUrl, config.onboardingBaseUrl]
  return (url) => {
    if (url.origin === config.publicUrl) return true
    return bases.some((base) => url.href.startsWith(`${base}/`))
  }
}

/** Vets an address. Our own ones need no vetting, since the request is dispatched inside the process. */
function vetted(text: string, isOurs: (url: URL) => boolean, policy: AddressPolicy): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && url.username === '' && url.password === '' && isOurs(url) ? url : vettedUrl(text, policy)
}

async function call(
  send: SendHop,
  vet: (text: string) => URL,
  text: string,
  request: OutboundRequest,
): Promise<OutboundAnswer> {
  const ms = Math.min(request.timeoutMs ?? TOTAL_MS_MAX, TOTAL_MS_MAX)
  const signal = AbortSignal.timeout(ms)
  let url = vet(text)
  let current = request
  for (let hops = request.redirectsMax ?? 0; ; hops -= 1) {
    const hop = await send(url, current, signal).catch((error: unknown) => {
      throw transportFault(error, url.hostname, signal)
    })
    const next = hops > 0 ? redirectOf(hop, current) : null
    if (next === null) return accepted(hop, current, url.hostname)
    const from = url
    url = vet(URL.canParse(next, url) ? new URL(next, url).href : next)
    if (url.origin !== from.origin) current = { ...current, headers: {} }
  }
}

/** A request with a body or an Authorization header is never redirected. */
function redirectOf({ status, headers }: Hop, { method, headers: sent, body, bytes }: OutboundRequest): string | null {
  if (![301, 302, 303, 307, 308].includes(status) || headers.location === undefined) return null
  const isBare = (method ?? 'GET') === 'GET' && body === undefined && bytes === undefined
  const isCredentialed = Object.keys(sent ?? {}).some((name) => /^(authorization|dpop|cookie)$/i.test(name))
  return isBare && !isCredentialed ? headers.location : null
}

function accepted(hop: Hop, { accept }: OutboundRequest, host: string): OutboundAnswer {
  const contentType = mediaTypeOf(hop.headers['content-type'])
  const isGood = hop.status >= 200 && hop.status < 300 && hop.status !== 204
  if (isGood && accept.length > 0 && !accept.includes(contentType)) {
    const detail = `${host} responded with ${contentType.slice(0, 100) || 'no content type'} instead of ${accept.join(' or ')}.`
    throw new Fault('upstream.media_type', { detail })
  }
  return { ...hop, contentType }
}

/**
 * A hop with its span. A foreign party gets no `traceparent`: it would link requests about one holder to several
 * parties.
 */
function tracedHop(
  agent: (url: URL) => Promise<Dispatcher>,
  url: URL,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<Hop> {
  return inOutboundSpan({ method: request.method ?? 'GET', host: url.hostname }, (trace) => {
    if (request.isTraced !== true) return networkHop(agent, url, request, signal)
    return networkHop(agent, url, { ...request, headers: { ...request.headers, ...trace } }, signal)
  })
}

async function networkHop(
  agent: (url: URL) => Promise<Dispatcher>,
  url: URL,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<Hop> {
  const response = await (await agent(url)).request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method ?? 'GET',
    headers: sentHeaders(request),
    body: request.bytes ?? request.body ?? null,
    signal,
  })
  const headers = plainHeaders(response.headers)
  const body = await boundedBody(response, request.bytesMax)
  return {
    status: response.statusCode,
    headers,
    body: await decodedBody(body, headers['content-encoding'], request.bytesMax),
  }
}

async function internalHop(
  inside: OutboundParts['inside'],
  url: URL,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<Hop> {
  const headers = { ...sentHeaders(request), host: url.host, 'accept-encoding': 'identity' }
  if (request.bytes !== undefined) throw new Fault('upstream.refused')
  const body = request.body === undefined ? {} : { body: request.body }
  const work = inside({ method: request.method ?? 'GET', path: url.pathname + url.search, headers, ...body })
  const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const answer = await Promise.race([work, late])
  if (answer.body.length > request.bytesMax) throw new Fault('upstream.too_large')
  return answer
}

/** The headers of a request. The user agent is neutral [VP-U6]; some servers refuse a request without one. */
function sentHeaders({ headers, accept }: OutboundRequest): Record<string, string> {
  const own = { 'user-agent': 'Mozilla/5.0', accept: accept.length === 0 ? '*/*' : accept.join(', ') }
  const given = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  return { ...own, ...Object.fromEntries(given), 'accept-encoding': 'gzip, deflate' }
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')]],
  )
  return Object.fromEntries(pairs)
}

async function boundedBody({ body, headers }: Dispatcher.ResponseData, bytesMax: number): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > bytesMax) {
    body.destroy()
    throw new Fault('upstream.too_large')
  }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    // Leaving the loop destroys the body and its connection.
    if (length > bytesMax) throw new Fault('upstream.too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The fault of a transport error. It reveals nothing about our network. */
function transportFault(error: unknown, host: string, signal: AbortSignal): Fault {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof Fault) return cause
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (signal.aborted || /TIMEOUT|ETIMEDOUT/.test(code)) {
    return new Fault('upstream.timeout', { detail: `${host} did not respond in time.`, cause: error })
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new Fault('upstream.too_large', { cause: error })
  return new Fault('upstream.unreachable', { detail: `${host} could not be reached.`, cause: error })
}
