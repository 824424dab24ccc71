import type { TSchema } from 'typebox'
import { scopes } from '../../caller.ts'
import type { Config } from '../../config.ts'
import { type FaultCode, faults } from '../../fault.ts'
import type { Endpoint, EndpointBodyKind } from '../routes/endpoint.ts'
import { headerParameters, notModifiedResponse } from '../routes/header-parameters.ts'
import type { Route } from '../routes/route.ts'
import { errorMetaSchema } from './meta-schema.ts'

/** What the OpenAPI document is generated from. */
export type ReferenceParts = {
  readonly config: Pick<Config, 'publicUrl' | 'walletBaseUrl' | 'credsBaseUrl' | 'onboardingBaseUrl'>
  readonly routes: readonly Route[]
  readonly endpoints: readonly Endpoint[]
  /** The message that the server sends to webhook endpoints. */
  readonly webhook?: WebhookReference | undefined
}

/** A message that the server sends; `body` is a JSON Schema. */
export type WebhookReference = {
  readonly summary: string
  readonly description: string
  readonly headers: readonly object[]
  readonly body: object
}

/** One operation of the document, as far as the reference page reads it. */
export type OpenApiOperation = {
  /** Unique, and derived from method and path. */
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly object[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, object>>
  readonly security?: readonly object[]
}

/** An OpenAPI document: `paths` by pattern and method. */
export type OpenApi = {
  readonly openapi: '3.1.0'
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: { readonly schemas: Record<string, object> } & Readonly<Record<string, object>>
} & Readonly<Record<string, unknown>>

const groupTitles = { wallet: 'Wallet', creds: 'Issuance and trust', onboarding: 'User lookup' } as const

/** Faults of every route. */
const edgeFaults: readonly FaultCode[] = [
  'request.invalid',
  'request.not_acceptable',
  'request.method',
  'request.headers_too_large',
  'token.missing',
  'token.invalid',
  'server.unexpected',
]

/**
 * Generates the OpenAPI 3.1 document from the routes and endpoints, with the schemas that validate requests and serialize replies. Schemas
 * with an `$id` become components.
 */
export function openApiOf({ config, routes, endpoints, webhook }: ReferenceParts): OpenApi {
  const schemas: Record<string, object> = {
    Errors: errorsSchema,
    Links: linksSchema,
    OAuthError: oauthErrorSchema,
  }
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  const add = (path: string, method: string, operation: OpenApiOperation) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  for (const route of routes) add(`/${route.group}${route.path}`, route.method, ofRoute(route, schemas))
  for (const endpoint of endpoints) {
    if (!endpoint.hidden) add(endpoint.path.replace('*}', '}'), endpoint.method, ofEndpoint(endpoint, schemas))
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chirograph',
      version: '1',
      summary: 'Issue, hold and verify digital credentials.',
      description: introduction(config.publicUrl),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: config.publicUrl }],
    tags: tagsOf(config, paths),
    paths,
    ...(webhook === undefined ? {} : { webhooks: { event: { post: ofWebhook(webhook) } } }),
    components: { schemas, securitySchemes: { token: tokenScheme(config.publicUrl) } },
  }
}

function ofWebhook({ summary, description, headers, body }: WebhookReference): object {
  const requestBody = { required: true, content: { 'application/json': { schema: body } } }
  const responses = { '2XX': { description: 'Accepted.' }, '410': { description: 'The endpoint is disabled.' } }
  return {
    operationId: 'receiveEvent',
    summary,
    description,
    parameters: headers,
    requestBody,
    responses,
    security: [],
  }
}

function tagsOf(config: ReferenceParts['config'], paths: OpenApi['paths']): object[] {
  const names = new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags)))
  const bases: Readonly<Record<string, string>> = {
    [groupTitles.wallet]: config.walletBaseUrl,
    [groupTitles.creds]: config.credsBaseUrl,
    [groupTitles.onboarding]: config.onboardingBaseUrl,
  }
  return [...names].map((name) => {
    const group = Object.keys(bases).find((title) => name === title || name.startsWith(`${title}: `))
    return group === undefined ? { name } : { name, description: `Base address: ${bases[group]}` }
  })
}

function introduction(publicUrl: string): string {
  return [
    `Every operation of the three groups requires \`Authorization: Bearer\` with an access token from \`POST ${publicUrl}/auth/token\`: for a client by \`client_credentials\`,`,
    'and for the wallet of a user by token exchange (RFC 8693) with `requested_subject=<username>`. The protocol surface requires no such token.',
    'Every POST of the three groups accepts an `Idempotency-Key`, so that a request whose response was lost can be repeated.',
    'Responses are `{data, links, meta}`, errors `{errors}`; each `code` is stable, and the log line of the request has the same `id`.',
  ].join(' ')
}

/** `GET /wallet/v2/credentials/{id}` is `getWalletV2CredentialsById`. */
function operationIdOf(method: string, path: string): string {
  const words = path.replaceAll(/\{(\w+)\*?\}/g, 'by-$1').split(/[^A-Za-z0-9]+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function tokenScheme(publicUrl: string): object {
  const flow = { tokenUrl: `${publicUrl}/auth/token`, scopes }
  const description = 'An access token of the built-in authorization server.'
  return { type: 'oauth2', description, flows: { clientCredentials: flow } }
}

function ofRoute(route: Route, schemas: Record<string, object>): OpenApiOperation {
  const heading = groupTitles[route.group]
  const tag = route.tag === undefined ? heading : `${heading}: ${route.tag}`
  const reply = route.reply === undefined ? undefined : shapeOf(route.reply, schemas)
  const success = reply === undefined ? {} : { content: contentOf(envelopeOf(route, reply, schemas), route.produces) }
  return {
    operationId: operationIdOf(route.method, `/${route.group}${route.path}`),
    tags: [tag],
    summary: route.summary,
    ...(route.scope === null ? {} : { description: `Requires the scope \`${route.scope}\`: ${scopes[route.scope]}` }),
    security: [{ token: route.scope === null ? [] : [route.scope] }],
    parameters: [
      ...pathParameters(route.path, route.params),
      ...queryParameters(route.query, schemas),
      ...headerParameters(route),
    ],
    ...(route.body !== undefined && {
      requestBody: { required: true, content: contentOf(shapeOf(route.body, schemas), route.textBodies) },
    }),
    responses: {
      [route.status]: { description: 'Success.', ...success },
      ...notModifiedResponse(route),
      ...refusals(route),
    },
  }
}

function envelopeOf(route: Route, data: object, schemas: Record<string, object>): object {
  if (route.noEnvelope) return data
  const meta = route.meta === undefined ? { type: 'object' } : shapeOf(route.meta, schemas)
  const properties = { data, links: { $ref: '#/components/schemas/Links' }, meta }
  return { type: 'object', required: ['data'], properties }
}

/** JSON of a schema, or a text of other media types. */
function contentOf(schema: object, others: readonly string[] = []): object {
  const texts = others.map((type) => [type, { schema: { type: 'string' } }])
  return { 'application/json': { schema }, ...Object.fromEntries(texts) }
}

/** One response per status; its description lists the codes and their titles. */
function refusals(route: Route): Record<string, object> {
  const codes = new Set<FaultCode>([...edgeFaults, ...route.faults])
  if (route.scope !== null) codes.add('scope.missing')
  if (route.path.includes('{')) codes.add('resource.unknown')
  if (route.body !== undefined) for (const code of bodyFaults) codes.add(code)
  if (route.method === 'POST') for (const code of repeatFaults) codes.add(code)
  const rows = [...codes].map((code) => faults[code])
  const byStatus = Map.groupBy(rows, ({ api }) => api[0])
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } }
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => {
      const sentences = new Set(found.map(({ api, title }) => `\`${api[1]}\`: ${title}`))
      return [String(status), { description: [...sentences].join(' '), content }]
    }),
  )
}

const repeatFaults = ['idempotency.mismatch', 'idempotency.busy'] as const
const bodyFaults = ['request.malformed', 'request.too_large', 'request.media_type'] as const

function ofEndpoint(endpoint: Endpoint, schemas: Record<string, object>): OpenApiOperation {
  const schema = endpoint.body ?? endpoint.describedBody
  const body = schema === undefined ? {} : shapeOf(schema, schemas)
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } }
  const types = acceptedTypes[endpoint.accepts].map((type) => [
    type,
    { schema: type === 'application/jwt' ? { type: 'string' } : body },
  ])
  return {
    operationId: operationIdOf(endpoint.method, endpoint.path),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    security: [],
    parameters: pathParameters(endpoint.path, undefined),
    ...(types.length === 0 ? {} : { requestBody: { required: true, content: Object.fromEntries(types) } }),
    responses: {
      '2XX': { description: 'As specified.' },
      default: { description: 'An OAuth error.', ...(endpoint.faultsAs === undefined ? { content } : {}) },
    },
  }
}

const FORM = 'application/x-www-form-urlencoded'
const acceptedTypes: Readonly<Record<EndpointBodyKind, readonly string[]>> = {
  none: [],
  form: [FORM],
  fields: [FORM],
  upload: [FORM, 'multipart/form-data'],
  json: ['application/json'],
  'form-or-json': [FORM, 'application/json'],
  'json-or-jwt': ['application/json', 'application/jwt'],
}

function pathParameters(path: string, schema: TSchema | undefined): object[] {
  const properties = propertiesOf(schema)
  return [...path.matchAll(/\{([^{}*]+)\*?\}/g)].map(([, name = '']) => ({
    in: 'path',
    name,
    required: true,
    schema: properties[name] ?? { type: 'string' },
  }))
}

function queryParameters(schema: TSchema | undefined, schemas: Record<string, object>): object[] {
  return Object.entries(propertiesOf(schema)).map(([name, one]) => {
    const { description, ...rest } = { description: undefined, ...shapeOf(one, schemas) }
    return { in: 'query', name, ...(description === undefined ? {} : { description }), schema: rest }
  })
}

function propertiesOf(schema: TSchema | undefined): Readonly<Record<string, TSchema>> {
  if (schema === undefined || !('properties' in schema)) return {}
  // A schema's properties are schemas.
  return schema.properties as Record<string, TSchema>
}

/** Returns the schema as JSON; schemas with an `$id` become components and are referenced. */
function shapeOf(schema: TSchema, schemas: Record<string, object>): object {
  return hoist(JSON.parse(JSON.stringify(schema)), schemas) as object
}

function hoist(value: unknown, schemas: Record<string, object>): unknown {
  if (Array.isArray(value)) return value.map((one) => hoist(one, schemas))
  if (typeof value !== 'object' || value === null) return value
  const plain = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hoist(one, schemas)]))
  const { $id, ...shape } = plain
  if (typeof $id !== 'string') return plain
  schemas[$id] = shape
  return { $ref: `#/components/schemas/${$id}` }
}

const text = { type: 'string' }
const linksSchema = {
  type: 'object',
  properties: Object.fromEntries(['self', 'first', 'last', 'prev', 'next', 'related'].map((name) => [name, text])),
}
const errorsSchema = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'status', 'code', 'title', 'detail'],
        properties: {
          id: { ...text, description: 'Id of the error; the log line of the request has the same.' },
          status: { ...text, description: 'The HTTP status.' },
          code: { ...text, description: 'Stable code, for programs.' },
          title: text,
          detail: text,
          source: {
            type: 'object',
            properties: {
              pointer: { ...text, description: 'RFC 6901 pointer into the body.' },
              parameter: { ...text, description: 'Name of the query or path parameter.' },
            },
          },
          meta: errorMetaSchema,
        },
      },
    },
  },
}
const oauthErrorSchema = { type: 'object', required: ['error'], properties: { error: text, error_description: text } }
