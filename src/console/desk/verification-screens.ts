import { presentationRequests } from '../../contract/verification/presentation-requests.ts'
import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { select } from '../../pages/controls.ts'
import { field } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { filterChooser, readChoices, searchIn } from '../frame/chooser.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { dayEnd, dayStart } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { tableScreen } from '../frame/table-screen.ts'
import { when } from '../frame/when.ts'
import { verdictOf } from './result.ts'
import { deskTexts } from './texts.ts'

const LIST = '/console/verifications'
const place = 'verifications'
const textsOf = ({ language }: Frame) => deskTexts[language]

const statuses = ['requested', 'verified', 'rejected', 'failed', 'expired'] as const

function filtersIn({ query, me }: Pick<Frame, 'query' | 'me'>): Record<string, string | undefined> {
  return {
    'filter[presentationTemplateId]': query.template,
    'filter[status]': statuses.find((one) => one === query.status),
    'filter[createdAfter]': dayStart(query.from, { me }),
    'filter[createdBefore]': dayEnd(query.until, { me }),
  }
}

const list = tableScreen({
  place,
  path: LIST,
  summary: 'Lists who was checked, and the result.',
  operation: presentationRequests.list,
  texts: (frame) => ({ title: textsOf(frame).verifications, counted: textsOf(frame).counted }),
  orders: { names: ['createdAt'], byDefault: '-createdAt' },
  filters: filtersIn,
  read: (frame) =>
    frame.orMissing(
      readChoices(frame, presentationTemplates, searchIn(frame, 'template'), { chosen: frame.query.template }),
    ),
  fields: (frame, templates) => {
    const { query } = frame
    const t = textsOf(frame)
    const all = { value: '', text: frame.t.all }
    const states = [all, ...statuses.map((one) => ({ value: one, text: t.statuses[one] }))]
    const template = { name: 'template', label: t.what, value: query.template ?? '', first: [all] }
    const day = (name: 'from' | 'until', label: string) =>
      field(frame, { name, label, type: 'date', isFilter: true, value: query[name] ?? '' })
    return html`${filterChooser(frame, template, templates)}
${select(frame, { name: 'status', label: t.state, value: query.status ?? '', choices: states })}
${day('from', t.fromDay)}${day('until', t.untilDay)}`
  },
  columns: (frame) => {
    const t = textsOf(frame)
    const canErase = may(frame, 'verification:write')
    return [
      {
        heading: t.what,
        cell: ({ id, templateName }) => html`<a href="/console/verify/${id}">${templateName ?? id}</a>`,
      },
      { heading: t.state, cell: (one) => badge(t.verdicts[verdictOf(one).name], verdictOf(one).tone) },
      { heading: t.when, cell: ({ createdAt }) => when(frame, createdAt), sort: 'createdAt' },
      {
        heading: t.keptUntil,
        cell: ({ id, claimsKeptUntil: until }) =>
          until === undefined
            ? frame.t.none
            : html`${when(frame, until)}${canErase && html`<br><a href="${LIST}/${id}/erase">${t.erase}</a>`}`,
      },
    ]
  },
  none: (frame) => {
    const t = textsOf(frame)
    const way = may(frame, 'verification:write') && buttonLink(frame.t.menu.desk, '/console/verify')
    return { fits: t.nothingFits, empty: t.noVerifications, way }
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
