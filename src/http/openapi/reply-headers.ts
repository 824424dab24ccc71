import type { Route } from '../routes/route.ts'

const header = (description: string, example: string, more: object = { type: 'string' }) => ({
  description,
  schema: more,
  example,
})

/** Headers of responses, by the name of their component. */
export const replyHeaders = {
  ETag: header(
    'The entity tag of the state that is returned, for `If-None-Match` and `If-Match`.',
    '"5d41402abc4b2a76"',
  ),
  Location: header(
    'Where the created resource is.',
    'https://credentials.example.org/creds/credentials/issuance/batch/01890000-0000-7000-8000-000000000000',
  ),
  'Retry-After': {
    ...header('Seconds after which the request may be repeated.', '5', { type: 'integer', minimum: 0 }),
    example: 5,
  },
  'Idempotency-Replayed': header('The response is that of the first request with the `Idempotency-Key`.', 'true', {
    enum: ['true'],
  }),
  'Preference-Applied': header('The `Prefer` that was honoured.', 'wait=20'),
  'WWW-Authenticate': header(
    'The challenge: scheme, error and the scope that is missing.',
    'Bearer realm="chirograph"',
  ),
  Allow: header('The methods of the path.', 'GET, HEAD, POST'),
  'X-Request-Id': header('The id of the request in the log of the server.', '01890000-0000-7000-8000-000000000000'),
} as const
type ReplyHeader = keyof typeof replyHeaders

/** Refers to the headers of a response. Every response has `X-Request-Id`. */
export function headersOf(names: readonly ReplyHeader[]): object {
  const all: readonly ReplyHeader[] = [...names, 'X-Request-Id']
  return { headers: Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }
}

/** The headers of the success of a route. */
export function successHeadersOf({ method, longPoll, replyHeaders = [] }: Route): ReplyHeader[] {
  return [
    ...replyHeaders,
    ...(longPoll === true ? (['ETag', 'Preference-Applied'] as const) : []),
    ...(method === 'POST' ? (['Idempotency-Replayed'] as const) : []),
  ]
}

/** The headers of refusals with a status. */
export function refusalHeadersOf(status: number): ReplyHeader[] {
  if (status === 401 || status === 403) return ['WWW-Authenticate']
  if (status === 405) return ['Allow']
  return status === 409 || status === 429 || status === 503 ? ['Retry-After'] : []
}
