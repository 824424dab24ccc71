import type { Route } from './route.ts'

const idempotencyKey = {
  in: 'header',
  name: 'Idempotency-Key',
  description:
    'Sent again with the same key and body within 24 hours, the request is not done again: the first answer comes back, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
}
const ifNoneMatch = {
  in: 'header',
  name: 'If-None-Match',
  description: 'The `ETag` of what the caller knows: 304 if it is still so.',
  schema: { type: 'string' },
}
const prefer = {
  in: 'header',
  name: 'Prefer',
  description:
    '`wait=20` holds the answer for up to 20 seconds (30 at most) until something changes, or what `If-None-Match` names is no longer so. `Preference-Applied` says that it was held.',
  schema: { type: 'string', examples: ['wait=20'] },
}

/** The response to a conditional request of what has not changed. */
export function notModifiedResponse({ longPoll: holds }: Route): Record<string, object> {
  return holds === true ? { 304: { description: 'What `If-None-Match` names is still so.' } } : {}
}

/** The request headers that mean something to a route, for the reference. */
export function headerParameters({ method, longPoll: holds }: Route): object[] {
  return [...(method === 'POST' ? [idempotencyKey] : []), ...(holds === true ? [ifNoneMatch, prefer] : [])]
}
