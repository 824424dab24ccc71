import { Type } from 'typebox'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { notAcceptable, preferredType } from '../../http/routes/accept.ts'
import { type Endpoint, type EndpointResponse, endpoint } from '../../http/routes/endpoint.ts'
import { isUnchanged } from '../../http/routes/entity-tag.ts'
import { STATUS_LIST_CWT_MEDIA_TYPE } from '../../protocols/status-list/status-list-cwt.ts'
import { STATUS_LIST_MEDIA_TYPE } from '../../protocols/status-list/status-list-token.ts'
import { publishAggregation, publishStatusList } from './publish-status-list.ts'
import type { PublishedList } from './sign-status-list.ts'

// [TS-20] A JWT by default.
const forms = new Map([
  [STATUS_LIST_MEDIA_TYPE, 'jwt'],
  [STATUS_LIST_CWT_MEDIA_TYPE, 'cwt'],
] as const)
const mediaTypes = [...forms.keys()]

/** `max-age` for HTTP caches, which bounds the delay of a revocation behind them. [TS-21] */
const CACHED_SECONDS = 60

const AggregationReply = Type.Object(
  { status_lists: Type.Array(Type.String({ format: 'uri' })) },
  { $id: 'StatusListAggregation' },
)

/** What pages of other origins may read. */
const published = { method: 'GET', tag: 'Trust', accepts: 'none', crossOrigin: true } as const

const statusList = endpoint({
  ...published,
  path: '/issuers/{tenant}/status-lists/{id}',
  operationId: 'getStatusList',
  replies: { 200: { types: Object.fromEntries(mediaTypes.map((type) => [type, null])) } },
  summary: 'Returns a status list of a tenant, with its revoked and suspended credentials: a JWT, or a CWT by Accept.',
  handle: async ({ platform, params, query, headers }) => {
    // [TS-22]
    if (query.time !== undefined) throw new Fault('status_list.historical')
    const tenant = await getTenant(platform, params.tenant)
    const type = preferredType(headers.accept, mediaTypes)
    const form = mediaTypes.find((one) => one === type)
    if (form === undefined) throw notAcceptable(mediaTypes)
    const list = await publishStatusList(platform, tenant, params.id, forms.get(form) ?? 'jwt')
    return answerOf(list, form, headers['accept-encoding'], headers['if-none-match'])
  },
})

const aggregation = endpoint({
  ...published,
  path: '/issuers/{tenant}/status-lists',
  operationId: 'listStatusLists',
  replies: { 200: { types: { 'application/json': AggregationReply } } },
  summary: 'Returns the URIs of all status lists of a tenant, for prefetching.',
  handle: async ({ platform, params }) => ({
    status: 200,
    // [TS-23]
    body: await publishAggregation(platform, await getTenant(platform, params.tenant)),
    headers: { 'cache-control': `public, max-age=${CACHED_SECONDS}` },
  }),
})

function answerOf(list: PublishedList, type: string, coding: unknown, known: string | undefined): EndpointResponse {
  const gzipped = preferredType(codingsOf(coding), ['gzip']) === null ? null : list.gzipped
  // RFC 9110 8.8.3.3: each content coding has its own entity tag.
  const etag = `"${list.etag}${gzipped === null ? '' : '-gzip'}"`
  const headers = { etag, 'cache-control': `public, max-age=${CACHED_SECONDS}`, vary: 'accept, accept-encoding' }
  if (isUnchanged(known, etag)) return { status: 304, headers }
  if (gzipped === null) return { status: 200, type, body: list.token, headers }
  return { status: 200, type, body: gzipped, headers: { ...headers, 'content-encoding': 'gzip' } }
}

/** Without the header the client gets the uncompressed token. */
function codingsOf(header: unknown): string {
  return typeof header === 'string' && header !== '' ? header : 'identity'
}

/** Status lists, for wallets and verifiers. */
export const statusEndpoints: readonly Endpoint[] = [statusList, aggregation]
