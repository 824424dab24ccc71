import type { ReplyOf } from '../../contract/api-operation.ts'
import { batches } from '../../contract/issuance/batches.ts'
import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { stepsOf } from '../../json-pointer.ts'
import { choicesIn, select } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { buttonLink, facts, message } from '../../pages/parts.ts'
import { badge, table } from '../../pages/table.ts'
import { isUuid } from '../../uuid.ts'
import { type CredentialTexts, credentialTexts } from '../credentials/texts.ts'
import { ruleWords } from '../frame/form-values.ts'
import { type Frame, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { tableScreen } from '../frame/table-screen.ts'
import { when } from '../frame/when.ts'
import { attributesOf, labelOf, type Template } from '../templates/content/template.ts'
import { handedOutBy, handOut, handOutScreens } from './hand-out.ts'
import { openOffersOf, remindPanel, remindScreen } from './remind.ts'
import { type BatchTexts, batchTexts } from './texts.ts'

const LIST = '/console/batches'
const place = 'batches'
const FAILED_SHOWN = 25
const textsOf = ({ language }: Frame) => batchTexts[language]

type Batch = ReplyOf<typeof batches.list>[number]
type Item = ReplyOf<typeof batches.listItems>[number]

const list = tableScreen({
  place,
  path: LIST,
  summary: 'Lists the batches of the last 30 days.',
  operation: batches.list,
  texts: textsOf,
  orders: { names: ['createdAt'], byDefault: '-createdAt' },
  filters: ({ query: { status } }) =>
    status === 'failed' ? { 'filter[hasFailedItems]': 'true' } : { 'filter[status]': status },
  fields: (frame) => {
    const t = textsOf(frame)
    const choices = [{ value: '', text: frame.t.all }, ...choicesIn({ ...t.states, failed: t.withFailed })]
    return select(frame, { name: 'status', label: t.state, value: frame.query.status ?? '', choices })
  },
  columns: (frame) => {
    const t = textsOf(frame)
    const count = (value: number) => figure(value, frame.language)
    return [
      { heading: t.name, cell: ({ id, name }) => html`<a href="${LIST}/${id}">${name ?? t.unnamed}</a>` },
      { heading: t.template, cell: ({ templateName }) => templateName ?? frame.t.none },
      { heading: t.state, cell: (one) => stateOf(one, t) },
      { heading: t.issued, cell: ({ done }) => count(done), isFigure: true },
      { heading: t.failed, cell: ({ failed }) => count(failed), isFigure: true },
      { heading: t.created, cell: ({ createdAt }) => when(frame, createdAt), sort: 'createdAt' },
    ]
  },
  none: (frame) => {
    const t = textsOf(frame)
    return { fits: t.emptyFilter, empty: `${t.empty}. ${t.emptyText}`, way: wayToIssue(frame) }
  },
  actions: (frame) => html`<div class="buttons">${wayToIssue(frame)}</div>`,
})

function wayToIssue(frame: Frame): Html | false {
  return may(frame, 'issuance:write') && buttonLink(textsOf(frame).fromTable, '/console/issue/table', 'main')
}

function stateOf({ status, failed }: Batch, t: BatchTexts): Html {
  return badge(t.states[status], status === 'processing' ? 'plain' : failed > 0 ? 'warn' : 'ok')
}

const one = screen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows a batch: how far it is, its failed rows, its links.',
  show: async (frame) => {
    const t = batchTexts[frame.language]
    const { data, etag } = await readBatch(frame)
    const isOpen = data.status === 'processing'
    const [template, failed, offers] = await Promise.all([
      frame.orMissing(templateOf(frame, data)),
      frame.orMissing(failedOf(frame, data)),
      isOpen ? null : frame.orMissing(openOffersOf(frame, data.id)),
    ])
    const by = handedOutBy(frame)
    const src = `${LIST}/${data.id}/state${by === null ? '' : `?by=${by}`}`
    const live = html`<live-region src="${src}" state="${isOpen ? (etag ?? '') : ''}">
      ${progress(frame, data, template, failed ?? [])}
    </live-region>`
    const about = facts([
      [t.template, template?.name ?? frame.t.none],
      [t.by, makerOf(frame, t, data)],
      [t.created, when(frame, data.createdAt)],
      ...mailsOf(frame, t, data),
    ])
    const name = data.name ?? t.unnamed
    return {
      title: name,
      crumbs: [[t.title, LIST], [name]],
      modules: ['fragments'],
      reloadSeconds: isOpen ? 4 : undefined,
      main: html`${restOf(frame, t)}${live}
      ${isOpen && html`<noscript><p class="hint">${t.reload}</p></noscript>`}
      ${offers !== null && remindPanel(frame, data.id, offers, data.mails !== undefined)}
      <section class="panel narrow">${about}</section>
      <p><a href="${`/console/credentials?template=${data.credentialTemplateId}`}">${t.more}</a></p>`,
    }
  },
})

/** The way back to the table of the batch, which has rows that were not issued with it. */
function restOf({ query: { table: draft = '' } }: Frame, t: BatchTexts): Html | false {
  return isUuid(draft) && message('note', t.rest, html`<p><a href="/console/issue/table/${draft}">${t.toTable}</a></p>`)
}

/** How many offers were sent by mail. */
function mailsOf(frame: Frame, t: BatchTexts, { mails }: Batch): readonly (readonly [string, string])[] {
  if (mails === undefined) return []
  const states = ['sent', 'queued', 'failed'] as const
  const counts = states.map((one) => `${t.mailStates[one]}${frame.t.colon}${figure(mails[one], frame.language)}`)
  return [[t.mails, counts.join(' · ')]]
}

async function templateOf({ api }: Frame, { credentialTemplateId }: Batch): Promise<Template> {
  return (await api.call(credentialTemplates.get, { params: { id: credentialTemplateId } })).data
}

async function failedOf({ api }: Frame, { id, failed }: Batch): Promise<readonly Item[]> {
  if (failed === 0) return []
  const query = { 'filter[status]': 'failed', 'page[size]': String(FAILED_SHOWN) }
  return (await api.call(batches.listItems, { params: { id }, query })).data
}

function makerOf({ me }: Frame, t: BatchTexts, { createdBy }: Batch): string {
  if (createdBy?.id === me.id) return t.you
  return createdBy?.kind === 'client' ? t.application : t.person
}

const state = screen({
  place,
  path: `${LIST}/{id}/state`,
  summary: 'Returns the progress of a batch once it has changed.',
  show: async (frame) => {
    const known = String(frame.headers['x-state'] ?? '')
    const { data, etag, status } = await readBatch(frame, { 'if-none-match': known, prefer: 'wait=6' })
    if (status === 304) return { fragment: html``, status: 204 }
    const [template, failed] =
      data.status === 'completed' ? await Promise.all([templateOf(frame, data), failedOf(frame, data)]) : [null, []]
    return {
      fragment: progress(frame, data, template, failed),
      headers: { 'x-state': data.status === 'processing' ? (etag ?? '') : '' },
    }
  },
})

function readBatch({ api, params }: Frame<{ readonly id: string }>, headers: Readonly<Record<string, string>> = {}) {
  return api.call(batches.get, { params: { id: params.id }, headers })
}

/** The part of the page that changes by itself. @param template Where the batch has ended */
function progress(frame: Frame, batch: Batch, template: Template | null, failed: readonly Item[]): Html {
  const t = batchTexts[frame.language]
  const { total, done } = batch
  const count = (value: number) => figure(value, frame.language)
  const bar = html`<progress max="${total}" value="${done + batch.failed}" aria-label="${t.state}"></progress>`
  const counts = [
    [t.issued, done],
    [t.failed, batch.failed],
    [t.waiting, total - done - batch.failed],
    [t.total, total],
  ] as const
  const figures = counts.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd class="figure">${count(value)}</dd></div>`,
  )
  return html`<div class="stack">
    <p role="status">${stateOf(batch, t)} ${t.progress(count(done + batch.failed), count(total))}</p>
    ${batch.status === 'processing' && bar}
    <dl class="figures">${figures}</dl>
    ${batch.status === 'completed' && handOut(frame, batch, template)}
    ${template !== null && failed.length > 0 && failedTable(frame, t, template, failed)}
  </div>`
}

function failedTable(frame: Frame, t: BatchTexts, template: Template, failed: readonly Item[]): Html {
  const columns = [
    { heading: t.row, cell: ({ row, index }: Item) => row ?? index + 1 },
    { heading: t.reference, cell: ({ reference }: Item) => reference ?? frame.t.none },
    { heading: t.why, cell: ({ error }: Item) => (error === undefined ? null : reason(frame, template, error)) },
  ]
  return html`<section class="stack"><h2>${t.failedTitle}</h2>${table(t.failedTitle, columns, failed)}</section>`
}

/** Why an item failed, in words; the sentence of the API, which is English, where the rule has none. */
function reason({ t, language }: Frame, template: Template, error: NonNullable<Item['error']>): Html {
  const { detail, meta } = error
  const words = ruleWords(t, meta?.rule, String(meta?.limit ?? ''))
  const place = memberOf(credentialTexts[language], error) ?? placeOf(template, error)
  if (words === null || place === undefined) return html`<span lang="en">${foreign(detail, 500)}</span>`
  return html`${foreign(place)}${t.colon}${words}`
}

/** What people call the member of an item that says how long a card is valid, or which one it replaces. */
function memberOf(t: CredentialTexts, { pointer }: NonNullable<Item['error']>): string | undefined {
  const [member] = stepsOf(pointer ?? '')
  if (member === 'replaces') return t.replace.replaces
  return member === 'validFrom' || member === 'validUntil' ? t[member] : undefined
}

/** What people call the place of an error: the attribute, else the column or member. */
function placeOf(template: Template, { pointer, column }: NonNullable<Item['error']>): string | undefined {
  const steps = stepsOf(pointer ?? '')
  const [member, first, second] = steps
  const found = attributesOf(template).find(
    ({ namespace, key }) =>
      member === 'attributes' && (namespace === '' ? key === first : namespace === first && key === second),
  )
  return found === undefined ? (column ?? steps.at(-1)) : labelOf(found)
}

/** The screens of batches. */
export const batchScreens: readonly Endpoint[] = [...list, ...one, ...state, ...remindScreen, ...handOutScreens]
