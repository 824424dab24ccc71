import { resolved, type Schemas } from './components.ts'
import { exampleOf } from './example.ts'

/** An example of a list as a file, or of an event stream: one row, or one event. @param row Schema of it */
export function textExampleOf(type: string, row: unknown, schemas: Readonly<Schemas>): string | undefined {
  const one = exampleOf(row, schemas)
  const json = JSON.stringify(one)
  if (type === 'application/x-ndjson') return `${json}\n`
  if (type === 'text/event-stream') return `id: ${Object(one).id}\nevent: ${eventIn(one)}\ndata: ${json}\n\n`
  if (type !== 'text/csv') return undefined
  const columns = columnsOf(row, schemas, [])
  const cells = columns.map((path) => cellOf(path.reduce<unknown>((part, name) => Object(part)[name], one)))
  return `${columns.map((path) => path.join('.')).join(',')}\r\n${cells.join(',')}\r\n`
}

function eventIn(one: unknown): string {
  const { type = 'message' } = Object(one)
  return String(type)
}

/** The members of a row, nested ones with dots: the columns of every list. */
function columnsOf(
  schema: unknown,
  schemas: Readonly<Schemas>,
  path: readonly string[],
): readonly (readonly string[])[] {
  const shape = resolved(schema, schemas)
  const choices = Array.isArray(shape.anyOf) ? shape.anyOf.map((one) => resolved(one, schemas)) : []
  const properties = shape.properties ?? choices.find((one) => one.properties !== undefined)?.properties
  if (properties === undefined) return [path]
  return Object.entries(Object(properties)).flatMap(([name, one]) => columnsOf(one, schemas, [...path, name]))
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /[",;\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
