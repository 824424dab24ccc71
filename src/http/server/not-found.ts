import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../../fault.ts'
import type { RenderFault } from '../routes/page.ts'
import { type KnownPath, type MethodsAt, methodsAt, routerPath, shadowedMethods } from './known-paths.ts'
import { sendFault } from './trace.ts'

/**
 * Answers a request that no route matches: 405 if the path has other methods, else 404.
 *
 * @param page Renders the answer for a browser that opens the address; without it everybody gets JSON.
 */
export function handleNotFound(
  request: FastifyRequest,
  reply: FastifyReply,
  methods: MethodsAt,
  page?: RenderFault,
): FastifyReply {
  if (page !== undefined && isOpened(request)) request.trace.edge = page
  const path = request.url.split('?', 1)[0] ?? ''
  const { allow } = methods(path)
  const fault =
    allow.length === 0 || allow.includes(request.method)
      ? new Fault('resource.unknown', {
          detail: `There is no resource at this path.${oddIn(path)} The paths are listed at /docs.`,
        })
      : new Fault('request.method', { detail: `This path supports ${allow.join(', ')}.`, meta: { allow } })
  request.trace.fault = fault.code
  return sendFault(request, reply, fault)
}

/** What a program may have written into a path without meaning it. */
function oddIn(path: string): string {
  if (path.includes('//')) return ' There is nothing between two of its slashes.'
  return path.endsWith('/') && path !== '/' ? ' It ends with a slash: without it, it is another path.' : ''
}

/** Browsers name HTML where they open an address, and only there. */
function isOpened({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').startsWith('text/html')
}

/** Answers 405 where the router would otherwise match a fixed segment as the parameter of another route. */
export function mountMethodNotAllowed(app: FastifyInstance, known: readonly KnownPath[]): void {
  const methods = methodsAt(known)
  for (const { pattern, method, host } of shadowedMethods(known)) {
    app.route({
      method,
      url: routerPath(pattern),
      ...(host === null ? {} : { constraints: { host } }),
      onRequest: (request, reply) => {
        handleNotFound(request, reply, methods)
      },
      handler: (request, reply) => handleNotFound(request, reply, methods),
    })
  }
}
