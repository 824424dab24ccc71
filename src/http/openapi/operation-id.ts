import type { Method } from '../../contract/api-operation.ts'
import type { Endpoint } from '../routes/endpoint.ts'
import type { Route } from '../routes/route.ts'
import { pascal, plural, singular } from './words.ts'

const verbs: Readonly<Record<Method, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'update',
  DELETE: 'delete',
}

/**
 * Returns the name of an operation, verb and noun: that of the route, or made from its method and the shape of its
 * reply, as in `listIssuances`, `getCertificate`, `revokeCertificate`.
 */
export function operationIdOf({ operationId, method, path, reply }: Route): string {
  if (operationId !== undefined) return operationId
  const words = path.split('/').filter((word) => word !== '' && !/^v\d$/.test(word))
  const last = words.at(-1) ?? ''
  const named = words.findLast((word) => !word.startsWith('{')) ?? ''
  const noun = nounOf(reply) ?? pascal(singular(named))
  if (method === 'GET' && isList(reply)) return `list${plural(noun)}`
  const isAction = method === 'POST' && !last.startsWith('{') && (words.at(-2) ?? '').startsWith('{')
  return (isAction ? pascal(last).replace(/^./, (letter) => letter.toLowerCase()) : verbs[method]) + noun
}

function isList(reply: Route['reply']): boolean {
  return reply !== undefined && 'type' in reply && reply.type === 'array'
}

function nounOf(reply: Route['reply']): string | undefined {
  if (reply === undefined) return undefined
  const shape = 'items' in reply && typeof reply.items === 'object' && reply.items !== null ? reply.items : reply
  return '$id' in shape && typeof shape.$id === 'string' ? shape.$id : undefined
}

/** Returns the name of an endpoint: its own, or made from its method and path. */
export function endpointIdOf({ operationId, method, path }: Endpoint): string {
  if (operationId !== undefined) return operationId
  const words = path.split('/').filter((word) => word !== '' && !word.startsWith('{'))
  return `${method === 'POST' ? 'post' : verbs[method]}${words.map(pascal).join('')}`
}
