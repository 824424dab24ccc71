import type { Delimiter } from '../../contract/issuance/batches.ts'
import { writeCsv } from '../../tables/write-csv.ts'
import type { TemplateDefinition } from '../templates/template.ts'
import { leafColumns } from './batch-table.ts'

const examples: Readonly<Record<string, string>> = {
  string: 'Example',
  number: '60',
  boolean: 'true',
  date: '2026-01-31',
  array: '[]',
  object: '{}',
}

/**
 * Returns a table with the columns of a template and one row of examples. With `labels` the headings are the names that
 * people see.
 */
export function sampleTable(
  definition: TemplateDefinition,
  { headings = 'names', delimiter }: { headings?: 'names' | 'labels' | undefined; delimiter?: Delimiter | undefined },
): string {
  const columns = leafColumns(definition)
  const labels = columns.map(({ name, attribute }) => attribute.name ?? name.replaceAll('_', ' '))
  const isPlain = new Set(labels).size === labels.length
  const heads = headings === 'labels' && isPlain ? labels : columns.map(({ name }) => name)
  const reference = headings === 'labels' ? 'Reference' : 'reference'
  return writeCsv(
    [
      [...heads, reference],
      [...columns.map(({ type }) => examples[type] ?? ''), 'student-1'],
    ],
    delimiter,
  )
}
