import type { OpenApi, OpenApiOperation } from './document.ts'

type Responses = Readonly<Record<string, object>>

const PREFIX = '#/components/responses/'

/**
 * Makes each refusal that several operations describe alike a named answer, and refers to it. Its name is the status
 * with the codes of its errors, and a number where answers differ in their words only.
 */
export function nameResponses(paths: OpenApi['paths']): {
  readonly paths: OpenApi['paths']
  readonly responses: Responses
} {
  const uses = new Map<string, number>()
  const all = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap((one) => entriesOf(one)))
  for (const { text } of all) uses.set(text, (uses.get(text) ?? 0) + 1)
  const names = new Map<string, string>()
  const responses: Record<string, object> = {}
  for (const { status, response, text } of all) {
    if (status.startsWith('2') || (uses.get(text) ?? 0) < 2 || names.has(text)) continue
    const name = freeName(nameOf(status, response), responses)
    names.set(text, name)
    responses[name] = response
  }
  const named = (operation: OpenApiOperation): OpenApiOperation => {
    const own = entriesOf(operation).map(({ status, response, text }) => {
      const name = names.get(text)
      return [status, name === undefined ? response : { $ref: PREFIX + name }]
    })
    return { ...operation, responses: Object.fromEntries(own) }
  }
  return { paths: mapped(paths, (methods) => mapped(methods, named)), responses: sorted(responses) }
}

/** Returns the answer that a reference names, or the answer itself. */
export function responseOf({ components }: Pick<OpenApi, 'components'>, response: object): object {
  const reference = '$ref' in response ? String(response.$ref) : null
  if (reference === null) return response
  return Object(components.responses)[reference.slice(PREFIX.length)]
}

function entriesOf({ responses }: OpenApiOperation) {
  return Object.entries(responses).map(([status, response]) => ({ status, response, text: JSON.stringify(response) }))
}

function nameOf(status: string, response: object): string {
  const description = 'description' in response ? String(response.description) : ''
  const codes = [...description.matchAll(/`([A-Z_]+)`/g)].map(([, code = '']) => code)
  return [status, ...new Set(codes.toSorted())].join('.')
}

function freeName(name: string, taken: Responses): string {
  let number = 1
  let free = name
  while (free in taken) {
    number += 1
    free = `${name}.${number}`
  }
  return free
}

function mapped<T, R>(members: Readonly<Record<string, T>>, change: (member: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [name, change(one)]))
}

function sorted(responses: Responses): Responses {
  return Object.fromEntries(Object.entries(responses).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
