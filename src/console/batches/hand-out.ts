import type { ReplyOf } from '../../contract/api-operation.ts'
import { batches } from '../../contract/issuance/batches.ts'
import { CSV, PDF, XLSX } from '../../contract/media-types.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink, message } from '../../pages/parts.ts'
import { csvDelimiterOf, csvStream } from '../frame/csv-file.ts'
import { type Frame, keepingFormScreen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { checkedDraft } from '../issue-many/checked-draft.ts'
import { namesFor } from '../issue-many/fitting-template.ts'
import { keepDraft } from '../issue-many/kept-drafts.ts'
import { tableOrProblem } from '../issue-many/read-problem.ts'
import { tableTexts } from '../issue-many/texts.ts'
import { TABLE } from '../issue-many/upload-fields.ts'
import { readTemplate } from '../issue-many/upload-screen.ts'
import type { Template } from '../templates/content/template.ts'
import { batchTexts } from './texts.ts'

const LIST = '/console/batches'
const place = 'batches'

/** Returns what the person has chosen to hand the batch out by: that comes first. */
export function handedOutBy({ query: { by } }: Pick<Frame, 'query'>): 'links' | 'letters' | null {
  return by === 'links' || by === 'letters' ? by : null
}

/** What a batch that has ended is handed out by: letters, and its rows as a file. @param template Null: it is gone */
export function handOut(frame: Frame, batch: ReplyOf<typeof batches.list>[number], template: Template | null): Html {
  const t = batchTexts[frame.language]
  const { id, done, failed } = batch
  const [here, mayIssue, hasCodes] = [`${LIST}/${id}`, may(frame, 'issuance:write'), template?.txCode !== undefined]
  const by = handedOutBy(frame)
  const letters = html`${buttonLink(t.letters, `${here}/letters`, by === 'letters' ? 'main' : 'plain')}
  ${hasCodes && buttonLink(t.lettersApart, `${here}/letters?codes=apart`)}
  ${hasCodes && buttonLink(t.slips, `${here}/letters?codes=slips`)}`
  const lists = html`${buttonLink(t.links, `${here}/links?as=xlsx`, by === 'links' ? 'main' : 'plain')}
  ${buttonLink(t.linksCsv, `${here}/links`)}`
  const printed = html`${mayIssue && letters}`
  const ways = by === 'links' ? [lists, printed] : [printed, lists]
  const rows = html`${buttonLink(t.failedRows, `${here}/failed?as=xlsx`)}
  ${buttonLink(t.failedCsv, `${here}/failed`)}`
  const canRepair = mayIssue && batch.keepsColumns && template !== null && template.archivedAt === null
  return html`${done > 0 && html`<div class="actions">${ways}</div>`}
  ${failed > 0 && html`<div class="actions">${rows}</div>`}
  ${failed > 0 && canRepair && html`<div class="actions">${form(frame, `${here}/repair`, button(t.repair))}</div>`}`
}

/** A table of the items in the language of the person: a workbook, or CSV. */
function fileScreen(name: 'links' | 'failed', status: 'failed' | undefined, summary: string): readonly Endpoint[] {
  return screen({
    place,
    path: `${LIST}/{id}/${name}`,
    summary,
    show: async ({ api, params, query: { as }, language }) => {
      const asked = { 'filter[status]': status, language }
      if (as === 'xlsx') {
        const file = await api.stream(batches.listItems, XLSX, { params, query: asked })
        return { file, type: XLSX, name: `${name}.xlsx` }
      }
      const query = { ...asked, delimiter: csvDelimiterOf(language) }
      return csvStream(name, await api.stream(batches.listItems, CSV, { params, query }))
    },
  })
}

const lettersFile = screen({
  place,
  path: `${LIST}/{id}/letters`,
  summary: 'Returns a letter to print for each open offer of a batch, or slips with the codes.',
  show: async ({ api, params, query: { codes } }) => {
    const name = codes === 'slips' ? 'codes' : 'letters'
    return {
      file: await api.stream(batches.listItems, PDF, { params, query: { codes } }),
      type: PDF,
      name: `${name}.pdf`,
    }
  },
})

/** The failed rows as a new table to check: their columns are those of the table that the batch was made of. */
const repair = keepingFormScreen({
  place,
  path: `${LIST}/{id}/repair`,
  summary: 'Makes a table of the failed rows of a batch, to be repaired and issued.',
  show: async ({ api, params }) => {
    await api.call(batches.get, { params })
    return { to: `${LIST}/${params.id}` }
  },
  send: async (frame) => {
    const { api, params, language } = frame
    const { data } = await api.call(batches.get, { params })
    const template = await readTemplate(frame, data.credentialTemplateId)
    const query = { 'filter[status]': 'failed', language } as const
    const rows = Buffer.from(await api.text(batches.listItems, CSV, { params, query }))
    const table = await tableOrProblem(frame, namesFor(frame, [template]), rows)
    const t = batchTexts[language]
    const refused = (why: string) => {
      const main = html`${message('bad', why)}<p>${buttonLink(t.back, `${LIST}/${params.id}`)}</p>`
      return { title: t.repair, crumbs: [[t.title, LIST], [t.repair]] as const, hasErrors: true, main }
    }
    if ('problem' in table) return refused(table.problem)
    const draft = await checkedDraft(frame, template, data.name ?? t.unnamed, table)
    const kept = await keepDraft(frame, { ...draft, source: rows })
    return 'refused' in kept ? refused(tableTexts[language].notKept[kept.refused]) : { to: `${TABLE}/${kept.id}` }
  },
})

/** The screens by which a batch is handed out. */
export const handOutScreens: readonly Endpoint[] = [
  ...fileScreen('links', undefined, 'Returns the rows of a batch with their links and codes as a table.'),
  ...fileScreen('failed', 'failed', 'Returns the failed rows of a batch as a table.'),
  ...lettersFile,
  ...repair,
]
