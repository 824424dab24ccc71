import { OPEN_ENUM } from '../../contract/open-enum.ts'
import { escapeHtml } from '../routes/page.ts'

type Shape = Readonly<Record<string, unknown>>
type Row = { readonly path: string; readonly schema: Shape; readonly isRequired: boolean }

const ROWS_MAX = 200
const COMPONENT = '#/components/schemas/'

/** Renders a schema: a table of its members, nested ones by path, and its examples. A `$ref` becomes a link. */
export function shapeBlock(schema: unknown): string {
  const shape = asShape(schema)
  const rows = membersOf(shape, '').slice(0, ROWS_MAX)
  const head = rows.length === 0 || shape.type !== 'object' ? `<p>${typeSummary(shape)}</p>` : ''
  return head + (rows.length === 0 ? '' : table(rows)) + exampleBlock(shape)
}

/** Renders the `data` of an envelope, or the whole schema of a reply without one. */
export function replyBlock(schema: unknown): string {
  const shape = asShape(schema)
  const { data, links } = asShape(shape.properties)
  return data === undefined || links === undefined ? shapeBlock(shape) : `<p><code>data</code>:</p>${shapeBlock(data)}`
}

/** Summarizes the type of a value. */
export function typeSummary(schema: unknown): string {
  const {
    $ref,
    type,
    format,
    pattern,
    enum: closed,
    [OPEN_ENUM]: open,
    const: only,
    items,
    anyOf,
    oneOf,
  } = asShape(schema)
  const values = closed ?? open
  if (typeof $ref === 'string') return link($ref)
  if (only !== undefined) return `<code>${escapeHtml(String(only))}</code>`
  if (Array.isArray(values)) {
    const known = values.map((one) => `<code>${escapeHtml(String(one))}</code>`)
    return [...known, ...(closed === undefined ? ['others'] : [])].join(' or ')
  }
  const choice = anyOf ?? oneOf
  if (Array.isArray(choice)) return choice.map(typeSummary).join(' or ')
  if (type === 'array') return items === undefined ? 'array' : `array of ${typeSummary(items)}`
  const words = [type, format].filter((one) => typeof one === 'string').join(', ')
  return (
    escapeHtml(words === '' ? 'any' : words) +
    (typeof pattern === 'string' ? ` <code>${escapeHtml(pattern)}</code>` : '')
  )
}

/** Renders text with `code` spans. */
export function inline(text: unknown): string {
  return typeof text === 'string' ? escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>') : ''
}

/** The id of an element, made from a text. */
export function anchor(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

function membersOf(shape: Shape, above: string): Row[] {
  if (shape.type === 'array') return membersOf(asShape(shape.items), `${above}[]`)
  const required = Array.isArray(shape.required) ? shape.required : []
  return Object.entries(asShape(shape.properties)).flatMap(([name, one]) => {
    const schema = asShape(one)
    const path = above === '' ? name : `${above}.${name}`
    return [{ path, schema, isRequired: required.includes(name) }, ...membersOf(schema, path)]
  })
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ path, schema, isRequired }) => {
    const name = `<code>${escapeHtml(path)}</code>${isRequired ? '' : ' <small>optional</small>'}`
    return `<tr>
      <td>${name}</td>
      <td>${typeSummary(schema)}${bounds(schema)}</td>
      <td>${inline(schema.description)}</td>
    </tr>`
  })
  return `<table><thead><tr><th>Member<th>Form<th>Meaning</tr></thead><tbody>${lines.join('')}</tbody></table>`
}

const limits = [
  ['minimum', 'from'],
  ['maximum', 'to'],
  ['minLength', 'characters from'],
  ['maxLength', 'characters to'],
  ['minItems', 'items from'],
  ['maxItems', 'items to'],
] as const

function bounds(schema: Shape): string {
  const words = limits.flatMap(([name, word]) => (typeof schema[name] === 'number' ? [`${word} ${schema[name]}`] : []))
  return words.length === 0 ? '' : ` <small>${words.join(', ')}</small>`
}

function exampleBlock({ examples }: Shape): string {
  if (!Array.isArray(examples)) return ''
  return examples.map((one) => `<p>Example:</p><pre>${escapeHtml(JSON.stringify(one, null, 2))}</pre>`).join('')
}

function link(reference: string): string {
  const name = reference.replace(COMPONENT, '')
  return `<a href="#${anchor(`shape ${name}`)}">${escapeHtml(name)}</a>`
}

function asShape(value: unknown): Shape {
  return typeof value === 'object' && value !== null ? (value as Shape) : {}
}
