import type { Endpoint } from './endpoint.ts'
import type { Route } from './route.ts'

const idempotencyKey = {
  in: 'header',
  name: 'Idempotency-Key',
  description:
    'A request repeated with the same key and body within 24 hours is not executed again: the response is the first one, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  example: 'order-4711',
}
const ifNoneMatch = {
  in: 'header',
  name: 'If-None-Match',
  description: 'The `ETag` of an earlier response: 304 if it is unchanged.',
  schema: { type: 'string' },
  example: '"5d41402abc4b2a76"',
}
const ifMatch = {
  in: 'header',
  name: 'If-Match',
  description: 'The `ETag` of the state that the change was made from: 412 if it is another one by now.',
  schema: { type: 'string' },
  example: '"5d41402abc4b2a76"',
}
const prefer = {
  in: 'header',
  name: 'Prefer',
  description:
    '`wait=20` delays the response for up to 20 seconds (at most 30) until the resource changes, or no longer matches `If-None-Match`. `Preference-Applied` confirms it.',
  schema: { type: 'string' },
  example: 'wait=20',
}

/** The request headers that an endpoint reads, for the API reference. */
export function endpointHeaderParameters(endpoint: Endpoint): object[] {
  return endpoint.ifMatch === true ? [ifMatch] : []
}

/** The request headers that a route reads, for the API reference. */
export function headerParameters({ method, longPoll, ...route }: Route): object[] {
  return [
    ...(method === 'POST' ? [idempotencyKey] : []),
    ...(route.ifMatch === true ? [ifMatch] : []),
    ...(longPoll === true ? [ifNoneMatch, prefer] : []),
  ]
}
