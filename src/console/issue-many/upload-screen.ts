import { batches } from '../../contract/issuance/batches.ts'
import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { fileField, hidden, textArea } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { fileForm } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink, card } from '../../pages/parts.ts'
import { TABLE_BYTES_MAX } from '../../tables/table.ts'
import { csvDelimiterOf, csvFile } from '../frame/csv-file.ts'
import { hasProblems, noProblems, type Problems, problemList } from '../frame/form-values.ts'
import { type KeepingFrame, keepingFormScreen, type Screen, screen } from '../frame/screen.ts'
import { chooseTemplate } from '../templates/choose-template.ts'
import { attributesOf, labelOf, type Template } from '../templates/content/template.ts'
import { checkedDraft } from './checked-draft.ts'
import { keepDraft } from './kept-drafts.ts'
import { tableOrProblem } from './read-problem.ts'
import { stepsAt } from './steps.ts'
import { type TableTexts, tableTexts } from './texts.ts'

/** Where a table is chosen. */
export const TABLE = '/console/issue/table'
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
    const template = await readTemplate(frame, frame.fields.get('template')?.[0] ?? '')
    const file = frame.fileOf('file')
    const pasted = frame.fields.get('pasted')?.[0] ?? ''
    const given =
      file !== null && file.bytes.length > 0 ? file.bytes : pasted.trim() === '' ? null : Buffer.from(pasted)
    if (given === null)
      return uploadForm(frame, template, {
        fields: { file: file === null || file.name === '' ? t.nothing : t.rules.empty },
      })
    const table = await tableOrProblem(frame, template, given)
    const field = given === file?.bytes ? 'file' : 'pasted'
    if ('problem' in table) return uploadForm(frame, template, { fields: { [field]: table.problem } })
    const name = field === 'file' ? nameOf(file?.name ?? '', t) : t.pasted
    const { view, rows } = await checkedDraft(frame, template, name, table)
    const canBeReread = table.form.kind === 'text' || (table.form.sheet?.names.length ?? 0) > 1
    const kept = await keepDraft(frame, { view, rows, source: canBeReread ? given : null })
    return 'refused' in kept
      ? uploadForm(frame, template, { fields: {}, general: t.notKept[kept.refused] })
      : { to: `${TABLE}/${kept.id}` }
  },
})

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

function uploadForm(frame: KeepingFrame, template: Template, problems: Problems): Screen {
  const t = tableTexts[frame.language]
  const file = fileField(frame, {
    name: 'file',
    label: t.file,
    hint: t.fileHint,
    error: problems.fields.file,
    accept: '.csv,.tsv,.txt,.xlsx,text/csv',
  })
  const pasted = textArea(frame, {
    name: 'pasted',
    label: t.paste,
    hint: t.pasteHint,
    isOptional: true,
    rows: 6,
    value: frame.fields.get('pasted')?.[0] ?? '',
    lengthMax: TABLE_BYTES_MAX,
    error: problems.fields.pasted,
  })
  const content = html`${hidden('template', template.id)}
  ${card(html`${file}${pasted}`)}
  <div class="buttons">${button(t.read, { look: 'main' })}${buttonLink(frame.t.cancel, '/console/issue')}</div>
  <p class="hint">${t.readHint}</p>`
  return {
    title: `${t.title}${frame.t.colon}${template.name}`,
    crumbs: crumbsOf(frame, t),
    main: html`${stepsAt(t, 'choose')}${problemList(frame.texts.problems, problems)}
    <div class="beside">${fileForm(frame, TABLE, content)}${sample(t, template)}</div>`,
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
