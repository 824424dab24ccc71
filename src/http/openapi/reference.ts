import type { FastifyInstance } from 'fastify'
import type { OpenApi } from './document.ts'
import { openApiOf, type ReferenceParts } from './openapi.ts'
import { referencePage, referenceStyle } from './reference-page.ts'

const PAGE_CSP = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Mounts `/openapi.json` and `/docs`. Both are generated at the first request and kept as text. The page has no script
 * and loads only its style sheet.
 */
export function mountReference(app: FastifyInstance, parts: ReferenceParts): void {
  let document: OpenApi | undefined
  let json: string | undefined
  let page: string | undefined
  const openApi = () => {
    document ??= openApiOf(parts)
    return document
  }
  app.get('/openapi.json', (request, reply) => {
    request.trace.pattern = '/openapi.json'
    json ??= JSON.stringify(openApi())
    reply.header('access-control-allow-origin', '*').header('cache-control', 'no-cache')
    return reply.type('application/json').send(json)
  })
  app.get('/docs', (request, reply) => {
    request.trace.pattern = '/docs'
    page ??= referencePage(openApi())
    reply.header('content-security-policy', PAGE_CSP).header('cache-control', 'no-cache')
    return reply.type('text/html; charset=utf-8').send(page)
  })
  app.get('/docs/style.css', (request, reply) => {
    request.trace.pattern = '/docs/style.css'
    return reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(referenceStyle)
  })
}
