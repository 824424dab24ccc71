import { presentationRequests } from '../../contract/verification/presentation-requests.ts'
import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { button, buttonLink } from '../../pages/parts.ts'
import { badge, pager, table } from '../../pages/table.ts'
import { filterChooser, readChoices, searchIn } from '../frame/chooser.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { emptyList } from '../frame/empty-list.ts'
import { dayEnd, dayStart } from '../frame/form-values.ts'
import { type Frame, listOf, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { keptSort, sortIn, sortingOf } from '../frame/sorting.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { type Check, verdictOf } from './result.ts'
import { deskTexts } from './texts.ts'

const LIST = '/console/verifications'
const place = 'verifications'
const orders = { names: ['createdAt'], byDefault: '-createdAt' }

const statuses = ['requested', 'verified', 'rejected', 'failed', 'expired'] as const

function filtersIn({ query, me }: Pick<Frame, 'query' | 'me'>): Record<string, string | undefined> {
  return {
    'filter[presentationTemplateId]': query.template,
    'filter[status]': statuses.find((one) => one === query.status),
    'filter[createdAfter]': dayStart(query.from, { me }),
    'filter[createdBefore]': dayEnd(query.until, { me }),
  }
}

const list = screen({
  place,
  path: LIST,
  summary: 'Lists who was checked, and the result.',
  download: (frame) =>
    listOf(presentationRequests.list, { query: { ...filtersIn(frame), sort: sortIn(frame.query, orders) } }),
  show: async (frame) => {
    const { api, query, language, texts, t: common } = frame
    const t = deskTexts[language]
    const filters = filtersIn(frame)
    const [{ data, links, meta }, templates] = await Promise.all([
      api.call(presentationRequests.list, {
        query: { ...filters, ...countedPageOf(query), sort: sortIn(query, orders) },
      }),
      frame.orMissing(
        readChoices(frame, presentationTemplates, searchIn(frame, 'template'), { chosen: query.template }),
      ),
    ])
    const isFiltered = Object.values(filters).some(Boolean) || query.after !== undefined
    const all = { value: '', text: common.all }
    const states = statuses.map((one) => ({ value: one, text: t.statuses[one] }))
    const day = (name: 'from' | 'until', label: string) =>
      field(frame, { name, label, type: 'date', isFilter: true, value: query[name] ?? '' })
    const filter = html`<form class="filter" method="get" action="${LIST}">${filterChooser(frame, { name: 'template', label: t.what, value: query.template ?? '', first: [all] }, templates)}${select(frame, { name: 'status', label: t.state, value: query.status ?? '', choices: [all, ...states] })}${day('from', t.fromDay)}${day('until', t.untilDay)}${keptSort(frame, orders)}${button(common.filter)}</form>`
    const columns = [
      {
        heading: t.what,
        cell: (one: Check) => html`<a href="/console/verify/${one.id}">${one.templateName ?? one.id}</a>`,
      },
      { heading: t.state, cell: (one: Check) => badge(t.verdicts[verdictOf(one).name], verdictOf(one).tone) },
      { heading: t.when, cell: ({ createdAt }: Check) => when(frame, createdAt), sort: 'createdAt' },
      {
        heading: t.keptUntil,
        cell: ({ id, claimsKeptUntil }: Check) =>
          claimsKeptUntil === undefined
            ? common.none
            : html`${when(frame, claimsKeptUntil)}${may(frame, 'verification:write') && html`<br><a href="${LIST}/${id}/erase">${t.erase}</a>`}`,
      },
    ]
    const way = may(frame, 'verification:write') && buttonLink(common.menu.desk, '/console/verify')
    const none = emptyList(frame, { isFiltered, fits: t.nothingFits, empty: t.noVerifications, way })
    const isEmpty = data.length === 0
    const main = html`${(isFiltered || !isEmpty) && filter}${totalLine(frame, meta, t.counted)}${isEmpty ? none : table(t.verifications, columns, data, sortingOf(frame, orders))}${pager(texts, links, frame.here)}`
    return { title: t.verifications, main, isEmpty }
  },
})

const erase = confirmScreen({
  place,
  path: `${LIST}/{id}/erase`,
  summary: 'Asks whether to erase what a person showed, and does it.',
  ask: async (frame) => {
    const t = deskTexts[frame.language]
    const { data } = await frame.api.call(presentationRequests.get, { params: { id: frame.params.id } })
    return {
      title: t.eraseTitle,
      text: t.eraseText,
      button: t.erase,
      look: 'danger',
      back: LIST,
      crumbs: [[t.verifications, LIST], [data.templateName ?? data.id, `/console/verify/${data.id}`], [t.erase]],
    }
  },
  act: async ({ api, params }) => {
    await api.call(presentationRequests.deleteClaims, { params: { id: params.id } })
    return { to: LIST }
  },
})

/** Who was checked. */
export const verificationScreens: readonly Endpoint[] = [...list, ...erase]
