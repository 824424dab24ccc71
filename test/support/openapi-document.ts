import assert from 'node:assert/strict'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { readConfig } from '../../src/config.ts'
import { endpoints, routes } from '../../src/contributions.ts'
import { webhookReference } from '../../src/events/webhooks/webhook-reference.ts'
import type { OpenApiOperation } from '../../src/http/openapi/document.ts'
import { responseOf } from '../../src/http/openapi/named-responses.ts'
import { openApiOf } from '../../src/http/openapi/openapi.ts'

/** A part of the document, or a schema. */
export type Shape = Readonly<Record<string, unknown>>
type Document = ReturnType<typeof openApiOf> & {
  readonly webhooks: { readonly event: { readonly post: OpenApiOperation } }
}

// What is served is JSON: what does not survive the way is not looked at here.
/** The document of the product, as a generator of clients reads it. */
export const document: Document = JSON.parse(
  JSON.stringify(openApiOf({ config: readConfig({}), routes, endpoints, webhook: webhookReference })),
)
/** Its operations with their answers, also those that it names; `name` is method and path. */
export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const answers = Object.entries(operation.responses).map(([status, one]) => [status, responseOf(document, one)])
    const whole: OpenApiOperation = { ...operation, responses: Object.fromEntries(answers) }
    return { name: `${method.toUpperCase()} ${path}`, path, operation: whole }
  }),
)
/** Parts of the document. */
export const { schemas, securitySchemes } = document.components
/** Knows the document as `document`. */
export const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }))
ajv.addSchema({ $id: 'document', ...document })

const compiled = new Map<string, ValidateFunction>()

/** The shape that a reference names, or the shape itself. */
export function resolved(schema: Shape): Shape {
  return typeof schema.$ref === 'string' ? (schemas[schema.$ref.split('/').at(-1) ?? ''] as Shape) : schema
}

/** The shape of the JSON of a success; undefined: the success has none. */
export function enveloped(operation: OpenApiOperation): Shape | undefined {
  const { content } = success(operation) as { content?: Record<string, { schema: Shape }> }
  return content?.['application/json']?.schema
}

/** The first success of an operation. */
export function success({ responses }: OpenApiOperation): object {
  return Object.entries(responses).find(([status]) => /^[23]/.test(status))?.[1] ?? {}
}

/** What an answer is by media type, also where `Accept` has to ask for it. */
export function allContent(answer: object): Readonly<Record<string, Shape>> {
  const { content, 'x-other-content': others } = answer as Shape
  return { ...Object(content), ...Object(others) }
}

/** Every value that stands under this name, however deep. */
export function found(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => (key === name ? [one] : found(one, name)))
}

/** The schema with references into the document that ajv knows. */
export function rebased(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'))
}

/** Whether a path is of the three groups of our API. */
export function isOfApi(path: string): boolean {
  return /^\/(creds|wallet|onboarding)\//.test(path) && !path.includes('/scim/v2/')
}

/** Compiled once for each shape: most answers share theirs. */
export function checkOf(schema: unknown): ValidateFunction {
  const text = JSON.stringify(schema)
  const known = compiled.get(text) ?? ajv.compile(rebased(schema))
  compiled.set(text, known)
  return known
}

/** Checks that an example fits its schema. */
export function fits(example: unknown, schema: unknown, what: string): void {
  assert.notEqual(example, undefined, what)
  const check = checkOf(schema)
  assert.ok(check(example), `${what} ${JSON.stringify(example)?.slice(0, 200)} ${ajv.errorsText(check.errors)}`)
}

/** Whether a named shape has a reference to another one, maybe through others. */
export function reaches(from: string, to: string, seen = new Set<string>()): boolean {
  if (seen.has(from)) return false
  seen.add(from)
  const next = found(schemas[from], '$ref').map((one) => String(one).split('/').at(-1) ?? '')
  return next.some((one) => one === to || reaches(one, to, seen))
}
