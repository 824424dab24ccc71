import { OPEN_ENUM } from '../../contract/open-enum.ts'
import { resolved, type Schemas } from './components.ts'

type Shape = Readonly<Record<string, unknown>>

const ID = '01890000-0000-7000-8000-000000000000'
const NESTING_MAX = 6

const byFormat: Readonly<Record<string, string>> = {
  uuid: ID,
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  uri: 'https://example.org/1',
  'uri-reference': '/1',
  email: 'ada@example.org',
  hostname: 'example.org',
  time: '12:00:00Z',
}

/** Texts for members whose schema has a pattern; the first that matches is taken. */
const candidates = [
  'example',
  '1',
  '20',
  ID,
  'P-256',
  'en',
  'DE',
  'ada',
  'holder',
  '#1f4e79',
  '2026-01',
  '2026-01-31',
  'https://example.org/1',
  'data:image/png;base64,iVBORw0KGgo=',
  '$.example',
  '/example',
  'AAECAwQFBgc',
  '2026-01-31T12:00:00.000Z',
  'did:web:example.org',
  'Europe/Paris',
  '404',
  '{}',
  'openid',
  'ada@example.org',
  'example.org',
  'org.example.card.1',
  'A'.repeat(43),
  '0123456789abcdef0123456789abcdef',
]

/**
 * Returns a value that the schema describes: the first example of the schema, or one made of its members. Recursive
 * schemas end by leaving optional members out.
 */
export function exampleOf(schema: unknown, schemas: Readonly<Schemas>, name = '', depth = 0): unknown {
  const shape = resolved(schema, schemas)
  if (Array.isArray(shape.examples)) return shape.examples[0]
  if (shape.const !== undefined) return shape.const
  const values = shape.enum ?? shape[OPEN_ENUM]
  if (Array.isArray(values)) return values[0]
  const choice = [shape.anyOf, shape.oneOf, shape.allOf].find(Array.isArray)
  if (choice !== undefined) return exampleOf(choice[0], schemas, name, depth)
  const type = Array.isArray(shape.type) ? shape.type[0] : shape.type
  if (type === 'object' || shape.properties !== undefined) return objectOf(shape, schemas, depth)
  if (type === 'array')
    return depth >= NESTING_MAX && !shape.minItems ? [] : [exampleOf(shape.items, schemas, name, depth + 1)]
  if (type === 'integer' || type === 'number') return shape.minimum ?? 1
  if (type === 'boolean') return true
  return type === 'null' ? null : textOf(shape, name)
}

function objectOf({ properties, required }: Shape, schemas: Readonly<Schemas>, depth: number): object {
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const members = Object.entries(properties ?? {}).filter(([name]) => depth < NESTING_MAX || needed.includes(name))
  return Object.fromEntries(members.map(([name, one]) => [name, exampleOf(one, schemas, name, depth + 1)]))
}

function textOf({ format, pattern, minLength, maxLength, type }: Shape, name: string): unknown {
  if (type === undefined) return 'example'
  if (typeof format === 'string') return byFormat[format] ?? 'example'
  if (typeof pattern === 'string') return candidates.find((one) => new RegExp(pattern, 'u').test(one)) ?? 'example'
  if (/(^id|Id)$/.test(name)) return ID.slice(0, typeof maxLength === 'number' ? maxLength : undefined)
  if (/(At|Until|From)$/.test(name)) return byFormat['date-time']
  if (/(Uri|Url|^iss|^vct|href)$/i.test(name)) return byFormat.uri
  const text = name === '' || (typeof maxLength === 'number' && name.length > maxLength) ? 'example' : name
  return typeof minLength === 'number' ? text.padEnd(minLength, '0') : text
}
