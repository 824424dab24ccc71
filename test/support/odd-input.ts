import type { OpenApiOperation } from '../../src/http/openapi/document.ts'
import { resolved, type Shape } from './openapi-document.ts'

/** One odd request of an operation. */
export type OddRequest = {
  readonly what: string
  /** Path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** An operation of the document, with a path whose parameters are those of objects that exist. */
type Asked = { readonly operation: OpenApiOperation; readonly path: string; readonly pattern: string }

/** Of each kind so many are chosen for an operation; other seeds choose others. */
const maxima = { bodies: 5, members: 4, queries: 4, paths: 3, headers: 4 }

/** Values that fit next to no schema; each is sent in the place of one member. */
const oddValues: readonly string[] = [
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '0',
  '-1',
  '1.5',
  '1e308',
  '1e400',
  '123456789012345678901234567890',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u202e\\u2066"',
  '"😀"',
  '[[[[[[[[]]]]]]]]',
  '{"__proto__":{"a":1}}',
  `"${'a'.repeat(70_000)}"`,
  `[${'0,'.repeat(2000)}0]`,
  '{"constructor":{"prototype":1}}',
  '"2026-02-30T25:61:61Z"',
  '"javascript:alert(1)"',
  '"http://[::1"',
  '"https://a b/"',
  '"\'; drop table tenant; --"',
]

/** Bodies that are no object of the schema, whatever it is: bytes and their media type. */
const oddBodies: readonly (readonly [what: string, type: string | null, body: Buffer])[] = [
  ['no body', 'application/json', Buffer.alloc(0)],
  ['no media type', null, Buffer.from('{}')],
  ['another media type', 'application/xml', Buffer.from('<a/>')],
  ['a media type that is none', 'json; charset', Buffer.from('{}')],
  ['UTF-16', 'application/json; charset=utf-16', Buffer.from('{}', 'utf16le')],
  ['a byte order mark', 'application/json', Buffer.from('\ufeff{}')],
  ['bytes that are not UTF-8', 'application/json', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['JSON that is cut off', 'application/json', Buffer.from('{"a":')],
  ['a member twice', 'application/json', Buffer.from('{"name":1,"name":2}')],
  ['an array', 'application/json', Buffer.from('[{}]')],
  ['null', 'application/json', Buffer.from('null')],
  ['nested 20,000 deep', 'application/json', Buffer.from('['.repeat(20_000))],
  ['30,000 members', 'application/json', Buffer.from(`{${Array.from({ length: 30_000 }, (_, i) => `"a${i}":0`)}}`)],
  ['a form', 'application/x-www-form-urlencoded', Buffer.from('a=%ff&a=1&%00=&=')],
  ['a form in parts', 'multipart/form-data; boundary=x', Buffer.from('--x\r\n\r\n\r\n--y')],
]

const oddTexts = [
  '',
  '%00',
  '%ff',
  '%ED%A0%80',
  'a'.repeat(1500),
  '%F0%9F%98%80',
  "'%3B--",
  '%2e%2e%2f',
  '-1',
  '1e9',
  '%22',
]
const oddHeaders: readonly (readonly [string, string])[] = [
  ['accept', 'image/tiff'],
  ['accept', ';;q=,*/'],
  ['authorization', 'Bearer a.b.c'],
  ['authorization', 'Basic !!!!'],
  ['idempotency-key', 'with a space'],
  ['if-match', '"other"'],
  ['if-none-match', 'W/"'],
  ['prefer', 'wait=-1'],
  ['last-event-id', '\u00ff'],
  ['content-encoding', 'br'],
]

/**
 * Makes odd requests of an operation from its description: media types, encodings, members that are missing, unknown,
 * of other types, lengths and ranges, nested and huge values, parameters and headers.
 *
 * @param random Numbers from 0 to 1; they choose members and values where there are many.
 */
export function oddRequests(asked: Asked, random: () => number): OddRequest[] {
  const { operation, path } = asked
  const good = goodBody(operation)
  const around = good === null ? [] : [...bodiesOf(path, good.type, random), ...membersOf(path, good, random)]
  const own = { path, headers: good?.headers ?? {}, ...(good !== null && { body: good.body }) }
  const headers = shuffled(oddHeaders, random)
    .slice(0, maxima.headers)
    .map(([name, value]) => ({
      ...own,
      what: `${name}: ${value}`,
      headers: { ...own.headers, [name]: value },
    }))
  const example = own.body === undefined ? [] : [{ ...own, what: 'the example' }]
  return [...around, ...queriesOf(own, operation, random), ...pathsOf(own, asked, random), ...headers, ...example]
}

type Good = {
  readonly type: string
  readonly body: Buffer
  readonly example: object
  readonly headers: Record<string, string>
}

function goodBody({ requestBody }: OpenApiOperation): Good | null {
  const { content = {} } = (requestBody ?? {}) as { content?: Record<string, Shape> }
  const [first] = Object.entries(content)
  if (first === undefined) return null
  const [type, { example, schema }] = first
  const members = { ...memberNames(schema), ...Object(example) }
  return { type, body: encoded(type, Object(example)), example: members, headers: { 'content-type': type } }
}

function memberNames(schema: unknown): Record<string, unknown> {
  const { properties = {} } = resolved(Object(schema)) as { properties?: Shape }
  return Object.fromEntries(Object.keys(properties).map((name) => [name, 'example']))
}

function encoded(type: string, value: object): Buffer {
  if (type.includes('json')) return Buffer.from(JSON.stringify(value))
  return Buffer.from(new URLSearchParams(Object.entries(value).map(([name, one]) => [name, String(one)])).toString())
}

function bodiesOf(path: string, type: string, random: () => number): OddRequest[] {
  return shuffled(oddBodies, random)
    .slice(0, maxima.bodies)
    .map(([what, sent, body]) => {
      // What is odd is the body where it is sent as what it claims to be.
      const own = sent === 'application/json' ? type : sent
      return { what, path, body, headers: own === null ? {} : { 'content-type': own } }
    })
}

/** One member after another, at most some of them, replaced, left out or joined by an unknown one. */
function membersOf(path: string, { type, example }: Good, random: () => number): OddRequest[] {
  const places = shuffled(placesOf(example), random).slice(0, maxima.members)
  const changed = places.flatMap((place) => {
    const value = oddValues[Math.floor(random() * oddValues.length)] ?? 'null'
    const shown = `${place.join('.')} = ${value.slice(0, 40)}`
    return [
      { what: shown, body: placed(type, example, place, value) },
      { what: `without ${place.join('.')}`, body: placed(type, example, place, null) },
    ]
  })
  const unknown = { what: 'an unknown member', body: placed(type, example, ['__unknown\u0000'], '"x"') }
  return [...changed, unknown].map((one) => ({ ...one, path, headers: { 'content-type': type } }))
}

function placesOf(value: unknown, above: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null || above.length >= 4) return []
  return Object.entries(value).flatMap(([name, one]) => [[...above, name], ...placesOf(one, [...above, name])])
}

const MARK = '\u2402'

/** The example with a text of JSON at that place; null: without the member. */
function placed(type: string, example: object, place: readonly string[], json: string | null): Buffer {
  const copy: Record<string, unknown> = structuredClone({ ...example })
  let inner = copy
  for (const name of place.slice(0, -1)) inner = Object(inner[name])
  const last = place.at(-1) ?? ''
  if (json === null) delete inner[last]
  else inner[last] = MARK
  if (!type.includes('json')) return encoded(type, json === null ? copy : { ...copy, [last]: json })
  return Buffer.from(JSON.stringify(copy).replace(`"${MARK}"`, () => json ?? ''))
}

function queriesOf(
  own: Omit<OddRequest, 'what'>,
  { parameters = [] }: OpenApiOperation,
  random: () => number,
): OddRequest[] {
  const names = (parameters as { in: string; name: string }[])
    .filter((one) => one.in === 'query')
    .map(({ name }) => name)
  const pairs = names.flatMap((name) => oddTexts.map((text) => `${encodeURIComponent(name)}=${text}`))
  const queries = [
    ...pairs,
    '__unknown=1',
    '%00=%00',
    '=',
    '&&&',
    'a[b][c]=1&a=2',
    `filter=${'a'.repeat(5000)}`,
    ...names.slice(0, 1).map((name) => `${name}=1&${name}=2`),
  ]
  const joined = own.path.includes('?') ? '&' : '?'
  return shuffled(queries, random)
    .slice(0, maxima.queries)
    .map((query) => ({ ...own, what: `?${query.slice(0, 60)}`, path: `${own.path}${joined}${query}` }))
}

function pathsOf(own: Omit<OddRequest, 'what'>, { pattern }: Asked, random: () => number): OddRequest[] {
  if (!pattern.includes('{')) return []
  // Without a text there the path is another one, which may be that of another operation.
  const values = oddTexts.filter((text) => text !== '')
  const texts = shuffled(values, random).slice(0, maxima.paths)
  return texts.map((text) => ({
    ...own,
    what: `path with ${text.slice(0, 40)}`,
    path: pattern.replace('{tenant}', 'acme').replaceAll(/\{[^}]+\}/g, () => text),
  }))
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => [random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one)
}
