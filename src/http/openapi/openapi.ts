import type { Config } from '../../config.ts'
import type { Endpoint } from '../routes/endpoint.ts'
import type { Route } from '../routes/route.ts'
import { addSchema, type Schemas } from './components.ts'
import type { OpenApi, OpenApiOperation } from './document.ts'
import { operationOfEndpoint } from './endpoint-operation.ts'
import { nameEnums } from './enum-names.ts'
import { commonSchemas } from './error-schema.ts'
import { exampleOf } from './example.ts'
import { nameResponses } from './named-responses.ts'
import { replyHeaders } from './reply-headers.ts'
import { groupTitles, operationOfRoute } from './route-operation.ts'
import { securitySchemes } from './security.ts'

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

/**
 * Generates the OpenAPI 3.1 document from the routes and endpoints, with the schemas that validate requests and
 * serialize replies. Schemas with an `$id` become components. Addresses are relative to the server that serves the
 * document.
 */
export function openApiOf({ config, routes, endpoints, webhook }: ReferenceParts): OpenApi {
  const schemas: Schemas = { ...commonSchemas }
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  const add = (path: string, method: string, operation: OpenApiOperation) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  for (const route of routes) add(`/${route.group}${route.path}`, route.method, operationOfRoute(route, schemas))
  for (const endpoint of endpoints) {
    if (!endpoint.hidden) add(endpoint.path.replace('*}', '}'), endpoint.method, operationOfEndpoint(endpoint, schemas))
  }
  const webhooks = webhook === undefined ? {} : { webhooks: { event: { post: ofWebhook(webhook, schemas) } } }
  const { paths: described, ...others } = nameEnums(schemas, { paths, ...webhooks })
  const { paths: named, responses } = nameResponses(described)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chirograph',
      version: '1',
      summary: 'Issue, hold and verify digital credentials.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that serves this document.' }],
    tags: tagsOf(config, paths),
    paths: named,
    ...others,
    components: { schemas: sorted(schemas), responses, headers: replyHeaders, securitySchemes },
  }
}

function sorted(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function ofWebhook({ summary, description, headers, body }: WebhookReference, schemas: Schemas): object {
  const schema = addSchema(schemas, 'WebhookMessage', body)
  const content = { 'application/json': { schema, example: exampleOf(schema, schemas) } }
  const responses = { '2XX': { description: 'Accepted.' }, '410': { description: 'The endpoint is disabled.' } }
  return {
    operationId: 'receiveEvent',
    tags: ['Issuance and trust: webhooks'],
    summary,
    description,
    parameters: headers,
    requestBody: { required: true, content },
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

const introduction = [
  'Every operation of the three groups requires `Authorization: Bearer` with an access token from `POST /auth/token`: for a client by `client_credentials`,',
  'for a user who signed in by `authorization_code`, and for the wallet of a user by token exchange (RFC 8693) with `requested_subject=<username>`.',
  'The protocol surface requires no such token.',
  'Every POST of the three groups accepts an `Idempotency-Key`, so that a request whose response was lost can be repeated.',
  'Responses are `{data, links, meta}`, errors `{errors}`; each `code` is stable, and the log line of the request has the same `id`.',
].join(' ')
