import { isDeepStrictEqual } from 'node:util'
import { scopes } from '../../caller.ts'
import { EVENT_STREAM, NDJSON } from '../../contract/media-types.ts'
import { type FaultCode, faults } from '../../fault.ts'
import { headerParameters } from '../routes/header-parameters.ts'
import type { Route } from '../routes/route.ts'
import { addSchema, contentBy, referenceTo, type Schemas, shapeOf } from './components.ts'
import type { OpenApiOperation } from './document.ts'
import { errorExamples } from './error-schema.ts'
import { exampleOf } from './example.ts'
import { operationIdOf } from './operation-id.ts'
import { pathParameters, queryParameters } from './parameters.ts'
import { headersOf, refusalHeadersOf, successHeadersOf } from './reply-headers.ts'
import { textExampleOf } from './text-example.ts'
import { pascal, plural } from './words.ts'

/** The titles of the groups of the API. */
export const groupTitles = { wallet: 'Wallet', creds: 'Issuance and trust', onboarding: 'User lookup' } as const

/** Faults of every route. */
const edgeFaults: readonly FaultCode[] = [
  'request.invalid',
  'request.not_acceptable',
  'request.method',
  'request.headers_too_large',
  // A request without a body is refused too, if it states a content coding.
  'request.media_type',
  'token.missing',
  'token.invalid',
  'server.unexpected',
  'database.unavailable',
]
const repeatFaults = ['idempotency.mismatch', 'idempotency.busy'] as const
const bodyFaults = ['request.malformed', 'request.too_large'] as const

/** Describes a route: parameters, bodies, envelope, refusals. */
export function operationOfRoute(route: Route, schemas: Schemas): OpenApiOperation {
  const heading = groupTitles[route.group]
  return {
    operationId: operationIdOf(route),
    tags: [route.tag === undefined ? heading : `${heading}: ${route.tag}`],
    summary: route.summary,
    ...descriptionOf(route),
    security: [{ token: route.scope === null ? [] : [route.scope] }],
    parameters: [
      ...pathParameters(route.path, route.params, schemas),
      ...queryParameters(route.query, schemas),
      ...headerParameters(route),
    ],
    ...(route.body !== undefined && {
      requestBody: { required: true, ...bodyOf(shapeOf(route.body, schemas), schemas, route) },
    }),
    responses: {
      ...successesOf(route, schemas),
      ...(route.longPoll === true && { 304: { description: 'Not modified.', ...headersOf(['ETag']) } }),
      ...refusals(route),
    },
  }
}

function descriptionOf({ scope, reply, produces = [], fileBodies = [] }: Route): { readonly description?: string } {
  const others = reply === undefined ? [] : produces
  const named = (types: readonly string[]) => types.map((type) => `\`${type}\``).join(' or ')
  const sentences = [
    ...(scope === null ? [] : [`Requires the scope \`${scope}\`: ${scopes[scope]}`]),
    ...(others.length === 0 ? [] : [`With \`Accept\` the answer is ${named(others)} instead of JSON.`]),
    ...(fileBodies.length === 0 ? [] : [`The body may be ${named(fileBodies)} instead of JSON.`]),
  ]
  return sentences.length === 0 ? {} : { description: sentences.join(' ') }
}

function successesOf(route: Route, schemas: Schemas): Record<string, object> {
  const headers = headersOf(successHeadersOf(route))
  const response = { description: 'Success.', ...headers, ...contentsOf(route, schemas) }
  const others = route.otherStatuses ?? []
  return Object.fromEntries([route.status, ...others].map((status) => [String(status), response]))
}

/** JSON in the envelope, texts, event streams and lists as files. */
function contentsOf(route: Route, schemas: Schemas): object {
  const { reply, produces = [] } = route
  const json = reply === undefined ? [] : [jsonOf(envelopeOf(route, shapeOf(reply, schemas), schemas), schemas)]
  const others = produces.map((type) => {
    const example = route.textExamples?.[type] ?? textExampleOf(type, rowOf(type, route), schemas)
    return [type, { schema: fileSchema(type, route, schemas), ...(example !== undefined && { example }) }] as const
  })
  return contentBy([...json, ...others])
}

/** Schema of a row of a list, or of an event of a stream; null: the file has no rows. */
function rowOf(type: string, { reply, streams }: Route): object | null {
  if (type === EVENT_STREAM) return streams ?? null
  return reply !== undefined && 'items' in reply && typeof reply.items === 'object' ? reply.items : null
}

function fileSchema(type: string, route: Route, schemas: Schemas): object {
  const { streams } = route
  if (type === EVENT_STREAM && streams !== undefined) {
    return { ...streamSchema, contentSchema: { type: 'array', items: eventOf(shapeOf(streams, schemas)) } }
  }
  const rows = rowOf(type, route)
  if (type !== NDJSON || rows === null) return { type: 'string' }
  return { type: 'string', contentMediaType: type, contentSchema: { type: 'array', items: shapeOf(rows, schemas) } }
}

const streamSchema = {
  type: 'string',
  contentMediaType: EVENT_STREAM,
  description: 'Server-sent events; a comment is sent while there is none.',
}

/** One event of a stream. @see [HTML, 9.2.6](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation) */
function eventOf(data: object): object {
  return {
    type: 'object',
    required: ['data'],
    properties: {
      id: { type: 'string', description: 'For `Last-Event-ID`.' },
      event: { type: 'string', description: 'The type of the event.' },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
    },
  }
}

function envelopeOf(route: Route, data: object, schemas: Schemas): object {
  if (route.noEnvelope) return data
  const meta = route.meta === undefined ? referenceTo('NoMeta') : shapeOf(route.meta, schemas)
  const properties = { data, links: referenceTo('Links'), meta }
  const envelope = { type: 'object', required: ['data'], properties }
  const name = envelopeNameOf(route)
  const isFree = schemas[name] === undefined || isDeepStrictEqual(schemas[name], envelope)
  return addSchema(schemas, isFree ? name : `${pascal(operationIdOf(route))}Reply`, envelope)
}

/** Named by what it envelops, or by the `meta` beside it, so that operations with the same answer share it. */
function envelopeNameOf(route: Route): string {
  const { meta, reply } = route
  const metaName = idOf(meta)
  const isList = reply !== undefined && 'items' in reply
  const noun = idOf(isList ? reply.items : reply)
  if (meta === undefined && noun !== undefined) return isList ? `${plural(noun)}Reply` : `${noun}Reply`
  if (metaName === 'PageMeta' && noun !== undefined) return `${noun}Page`
  if (metaName !== undefined && noun !== undefined) return `${metaName.replace(/Meta$/, '')}Reply`
  return `${pascal(operationIdOf(route))}Reply`
}

function idOf(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || !('$id' in schema)) return undefined
  return typeof schema.$id === 'string' ? schema.$id : undefined
}

/** JSON of a schema with an example. */
function jsonOf(schema: object, schemas: Schemas) {
  return ['application/json', { schema, example: exampleOf(schema, schemas) }] as const
}

/** JSON, or a file of other media types. */
function bodyOf(schema: object, schemas: Schemas, { fileBodies = [], textExamples = {} }: Route): object {
  const files = fileBodies.map((type) => {
    const example = textExamples[type]
    // What is no text has no schema. [OpenAPI 3.1.1, 4.8.14.3]
    const schema = type.startsWith('text/') ? { schema: { type: 'string' } } : {}
    return [type, { ...schema, ...(example !== undefined && { example }) }] as const
  })
  return contentBy([jsonOf(schema, schemas), ...files])
}

/** The faults that a route may answer with. */
function faultsOf({ faults: own, scope, path, method }: Route): Set<FaultCode> {
  const codes = new Set<FaultCode>([...edgeFaults, ...own])
  if (scope !== null) codes.add('scope.missing')
  if (path.includes('{')) codes.add('resource.unknown')
  if (method !== 'GET') for (const code of bodyFaults) codes.add(code)
  if (method === 'POST') for (const code of repeatFaults) codes.add(code)
  return codes
}

/** One response per status; its description lists the codes and their titles. */
function refusals(route: Route): Record<string, object> {
  const rows = [...faultsOf(route)].map((code) => faults[code])
  const byStatus = Map.groupBy(rows, ({ api }) => api[0])
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => {
      const sentences = new Set(found.map(({ api, title }) => `\`${api[1]}\`: ${title}`))
      const [first] = found
      const example = first === undefined ? {} : { example: errorExamples.api(status, first.api[1], first.title) }
      const content = { 'application/json': { schema: referenceTo('ErrorReply'), ...example } }
      const headers = headersOf(refusalHeadersOf(status))
      return [String(status), { description: [...sentences].join(' '), ...headers, content }]
    }),
  )
}
