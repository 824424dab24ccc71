import { batches } from '../../contract/issuance/batches.ts'
import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import { type ReadTable, TABLE_BYTES_MAX } from '../../tables/table.ts'
import { csvDelimiterOf, csvFile } from '../frame/csv-file.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type KeepingFrame, keepingFormScreen, type Screen, screen } from '../frame/screen.ts'
import { chooseTemplate } from '../templates/choose-template.ts'
import { attributesOf, labelOf, type Template } from '../templates/content/template.ts'
import { checkedDraft, proposedDraft } from './checked-draft.ts'
import { fittingTemplate, namesFor, templatesToFit } from './fitting-template.ts'
import { keepDraft } from './kept-drafts.ts'
import { tableOrProblem } from './read-problem.ts'
import { stepsAt } from './steps.ts'
import { type TableTexts, tableTexts } from './texts.ts'
import { TABLE, tableForm } from './upload-fields.ts'

const place = 'batches'
/** The file, and the other members of the form. A larger one is refused before it is read. */
const UPLOAD_BYTES_MAX = 2 * TABLE_BYTES_MAX

const upload = keepingFormScreen({
  place,
  path: TABLE,
  summary: 'Asks for a table of people.',
  fileBytesMax: UPLOAD_BYTES_MAX,
  scope: 'issuance:write',
  show: async (frame) => {
    const id = frame.query.template ?? frame.fields.get('template')?.[0] ?? ''
    return id === '' ? choose(frame) : uploadForm(frame, await readTemplate(frame, id), noProblems)
  },
  send: async (frame) => {
    const t = tableTexts[frame.language]
    const id = frame.fields.get('template')?.[0] ?? ''
    const template = id === '' ? null : await readTemplate(frame, id)
    const file = frame.fileOf('file')
    const pasted = frame.fields.get('pasted')?.[0] ?? ''
    const given =
      file !== null && file.bytes.length > 0 ? file.bytes : pasted.trim() === '' ? null : Buffer.from(pasted)
    if (given === null)
      return uploadForm(frame, template, {
        fields: { file: file === null || file.name === '' ? t.nothing : t.rules.empty },
      })
    const templates = template === null ? await templatesToFit(frame) : [template]
    const table = await tableOrProblem(frame, namesFor(frame, templates), given)
    const field = given === file?.bytes ? 'file' : 'pasted'
    if ('problem' in table) return uploadForm(frame, template, { fields: { [field]: table.problem } })
    const name = field === 'file' ? nameOf(file?.name ?? '', t) : t.pasted
    const fitting = template ?? (await fittingTemplate(frame, templates, table.header))
    return keepTable(frame, fitting, name, table, given)
  },
})

async function keepTable(
  frame: KeepingFrame,
  template: Template | null,
  name: string,
  table: ReadTable,
  given: Uint8Array,
): Promise<Screen | { readonly to: string }> {
  const t = tableTexts[frame.language]
  const { view, rows } =
    template === null ? await proposedDraft(name, table) : await checkedDraft(frame, template, name, table)
  const kept = await keepDraft(frame, { view, rows, source: given })
  if ('refused' in kept) return uploadForm(frame, template, { fields: {}, general: t.notKept[kept.refused] })
  return { to: `${TABLE}/${kept.id}${template === null ? '/card' : ''}` }
}

function nameOf(name: string, t: TableTexts): string {
  const plain = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .slice(0, 150)
    .toWellFormed()
    .trim()
  return plain === '' ? t.pasted : plain
}

/** Returns the template of a table. */
export async function readTemplate({ api }: Pick<KeepingFrame, 'api'>, id: string): Promise<Template> {
  return (await api.call(credentialTemplates.get, { params: { id } })).data
}

async function choose(frame: KeepingFrame): Promise<Screen> {
  const t = tableTexts[frame.language]
  const rowOf = ({ id, name, description }: Template) => ({
    title: html`<a href="${`${TABLE}?template=${id}`}">${foreign(name)}</a>`,
    ...(description !== undefined && { about: description }),
  })
  const none = html`<div class="empty">
    <p>${t.chooseTemplate}</p>
    ${buttonLink(frame.t.menu.templates, '/console/templates')}
  </div>`
  const main = await chooseTemplate(frame, t.chooseTemplate, rowOf, none)
  return { title: t.title, crumbs: crumbsOf(frame, t), main }
}

function crumbsOf({ t: common }: KeepingFrame, t: TableTexts): NonNullable<Screen['crumbs']> {
  return [[common.menu.credentials, '/console/credentials'], [t.title]]
}

function uploadForm(frame: KeepingFrame, template: Template | null, problems: Problems): Screen {
  const t = tableTexts[frame.language]
  const form = tableForm(frame, template?.id ?? null, problems, '/console/issue')
  return {
    title: template === null ? t.title : `${t.title}${frame.t.colon}${template.name}`,
    crumbs: crumbsOf(frame, t),
    main: html`${stepsAt(t, 'table')}${problemList(frame.texts.problems, problems)}
    <div class="beside">${form}${template !== null && sample(t, template)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

function sample(t: TableTexts, template: Template): Html {
  const names = labelsOf(template)
  return html`<section class="panel">
    <header><h2>${t.sampleTitle}</h2></header>
    <div class="inside">
      <p>${t.sampleText}</p>
      ${names}
      <p>${buttonLink(t.sample, `${TABLE}/sample?template=${template.id}`)}</p>
    </div>
  </section>`
}

function labelsOf(template: Template): Html {
  return html`<p class="hint">${attributesOf(template).slice(0, 12).map(labelOf).join(' · ')}</p>`
}

const sampleFile = screen({
  place,
  path: `${TABLE}/sample`,
  summary: 'Returns the sample table of a template.',
  show: async (frame) => {
    const template = await readTemplate(frame, frame.query.template ?? '')
    const query = { headings: 'labels', delimiter: csvDelimiterOf(frame.language) }
    const text = await frame.api.text(batches.getSample, 'text/csv', { params: { id: template.id }, query })
    return csvFile(template.code, text)
  },
})

/** The screens where a table is chosen. */
export const uploadScreens: readonly Endpoint[] = [...upload, ...sampleFile]
