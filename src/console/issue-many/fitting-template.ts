import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import { foldedName, type TableOptions } from '../../tables/table.ts'
import type { Frame } from '../frame/screen.ts'
import { leavesOf, type Template } from '../templates/content/template.ts'
import { targetsFor } from './checked-draft.ts'

/** In place of a template: one that is made from the table. */
export const NEW_TEMPLATE = 'new'

/** As many as one call of the API returns. */
const TEMPLATES_MAX = '100'
/** Of the attributes of a template, where those that it requires are not all there. */
const SHARE_MIN = 0.5

/** Returns the templates that a table may be issued as: the first hundred by name. */
export async function templatesToFit({ api }: Pick<Frame, 'api'>): Promise<readonly Template[]> {
  return (await api.call(credentialTemplates.list, { query: { 'page[size]': TEMPLATES_MAX, sort: 'name' } })).data
}

/** Returns the names that headings may have, folded; of one template also those of which every row needs one. */
export function namesFor(frame: Frame, templates: readonly Template[]): Pick<TableOptions, 'headings' | 'required'> {
  const targets = templates.flatMap((one) => targetsFor(frame, one))
  const headings = [...new Set(targets.flatMap(({ names }) => names))]
  const required = targets.filter(({ isRequired }) => isRequired).map(({ names }) => names)
  return templates.length === 1 ? { headings, required } : { headings }
}

/**
 * Returns the template whose attributes the headings of a table name best; null if they fit none: neither all
 * attributes that it requires are among them, nor half of all. Takes its time in pieces.
 */
export async function fittingTemplate(
  frame: Frame,
  templates: readonly Template[],
  header: readonly string[],
): Promise<Template | null> {
  const headings = new Set(header.map(foldedName))
  let best: { readonly template: Template; readonly score: number } | null = null
  for (const template of templates) {
    const score = scoreOf(frame, template, headings)
    if (score > (best?.score ?? 0)) best = { template, score }
    await new Promise(setImmediate)
  }
  return best?.template ?? null
}

/** Returns 0 for a template that does not fit. */
function scoreOf(frame: Frame, template: Template, headings: ReadonlySet<string>): number {
  const count = leavesOf(template).length
  // Attributes come first.
  const attributes = targetsFor(frame, template).slice(0, count)
  const found = attributes.filter(({ names }) => names.some((name) => headings.has(name)))
  const required = attributes.filter(({ isRequired }) => isRequired)
  const missing = required.filter((one) => !found.includes(one)).length
  const isWhole = required.length > 0 && missing === 0
  if (found.length === 0 || (!isWhole && found.length < count * SHARE_MIN)) return 0
  return found.length - missing + found.length / count
}
