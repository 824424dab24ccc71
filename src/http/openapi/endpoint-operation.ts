import type { Endpoint, EndpointBodyKind, EndpointReply } from '../routes/endpoint.ts'
import { endpointHeaderParameters } from '../routes/header-parameters.ts'
import { contentBy, referenceTo, type Schemas, shapeOf } from './components.ts'
import type { OpenApiOperation } from './document.ts'
import { exampleOf } from './example.ts'
import { endpointIdOf } from './operation-id.ts'
import { pathParameters } from './parameters.ts'
import { headersOf } from './reply-headers.ts'

/** Describes an endpoint of the protocol surface: bodies, the replies that it states, its errors. */
export function operationOfEndpoint(endpoint: Endpoint, schemas: Schemas): OpenApiOperation {
  return {
    operationId: endpointIdOf(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    security: securityOf(endpoint),
    parameters: [...pathParameters(endpoint.path, undefined, schemas), ...endpointHeaderParameters(endpoint)],
    ...bodyOf(endpoint, schemas),
    responses: {
      ...repliesOf(endpoint, schemas),
      ...(endpoint.ifMatch === true && { 412: refusalOf(endpoint, schemas) }),
      default: refusalOf(endpoint, schemas),
    },
  }
}

function securityOf({ needsToken, faultsAs }: Endpoint): object[] {
  if (needsToken !== true) return []
  return [faultsAs === 'scim' ? { token: [] } : { walletToken: [] }]
}

function bodyOf(endpoint: Endpoint, schemas: Schemas): object {
  const schema = endpoint.body ?? endpoint.describedBody
  const body = schema === undefined ? { type: 'object' } : shapeOf(schema, schemas)
  const types = acceptedTypes[endpoint.accepts].map((type) => {
    const example = { schema: body, example: exampleOf(body, schemas) }
    return [type, type === 'application/jwt' ? ENCRYPTED : example] as const
  })
  return types.length === 0 ? {} : { requestBody: { required: true, ...contentBy(types) } }
}

const ENCRYPTED = { schema: { type: 'string', description: 'The body as an encrypted JWT.' } }

function repliesOf({ replies, summary }: Endpoint, schemas: Schemas): Record<string, object> {
  if (replies === undefined) return { '2XX': { description: `${summary} As specified.` } }
  return Object.fromEntries(
    Object.entries(replies).map(([status, reply]) => [status, replyOf(Number(status), reply, schemas)]),
  )
}

function replyOf(status: number, { description, types = {} }: EndpointReply, schemas: Schemas): object {
  const content = Object.entries(types).map(([type, schema]) => {
    const shape = schema === null ? { type: 'string' } : shapeOf(schema, schemas)
    return [type, { schema: shape, ...(schema !== null && { example: exampleOf(shape, schemas) }) }] as const
  })
  return {
    description: description ?? (status < 300 ? 'Success.' : 'Refused.'),
    ...headersOf([]),
    ...contentBy(content),
  }
}

function refusalOf({ faultsAs }: Endpoint, schemas: Schemas): object {
  const headers = headersOf(['Retry-After', 'WWW-Authenticate', 'Allow'])
  if (faultsAs === 'scim') {
    const schema = referenceTo('ScimError')
    const content = { 'application/scim+json': { schema, example: exampleOf(schema, schemas) } }
    return { description: 'A SCIM error (RFC 7644, 3.12).', ...headers, content }
  }
  if (faultsAs !== undefined) {
    return {
      description: 'A page with the error.',
      ...headers,
      content: { 'text/html': { schema: { type: 'string' } } },
    }
  }
  const example = { error: 'invalid_request', error_description: 'The request does not match its schema.' }
  const content = { 'application/json': { schema: referenceTo('OAuthError'), example } }
  return { description: 'An OAuth error.', ...headers, content }
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
