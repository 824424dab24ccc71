import { csvLine } from '../../api/csv.ts'
import { statistics } from '../../contract/events/statistics.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { select } from '../../pages/controls.ts'
import { html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { button } from '../../pages/parts.ts'
import { table } from '../../pages/table.ts'
import { csvFile } from '../frame/csv-file.ts'
import { screen } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import { type ChartRow, chartOf, type Statistics, sumOf } from './chart.ts'
import { homeTexts } from './texts.ts'

const PATH = '/console/figures'

const figures = screen({
  place: 'figures',
  path: PATH,
  summary: 'Shows how often what happened, by template.',
  show: async (frame) => {
    const { api, query, language, orMissing } = frame
    const t = homeTexts[language]
    const isByDay = query.by === 'day'
    const read = (group: 'both' | 'time' | 'template') =>
      api.call(statistics.get, { query: { granularity: isByDay ? 'day' : 'month', group } })
    if (query.download === 'csv') return fileOf((await read('both')).data)
    const [byTime, { data, meta }] = await Promise.all([orMissing(read('time')), read('template')])
    const choices = [
      { value: 'month', text: t.lastMonths },
      { value: 'day', text: t.lastDays },
    ]
    const chooser = html`<form class="filter" method="get" action="${PATH}">
      ${select(frame, { name: 'by', label: t.range, value: isByDay ? 'day' : 'month', choices })}
      ${button(frame.t.filter)}
    </form>`
    const part = (heading: string, metrics: Readonly<Record<string, string>>, rows: readonly ChartRow[]) => {
      if (rows.length === 0) return html``
      const columns = Object.entries(metrics).map(([metric, text]) => ({
        heading: text,
        isFigure: true,
        cell: (one: readonly ChartRow[]) => figure(sumOf(one, metric), language),
      }))
      const name = { heading: t.template, cell: ([one]: readonly ChartRow[]) => one?.templateName ?? '' }
      const byTemplate = [...Map.groupBy(rows, ({ templateId }) => templateId).values()]
      return html`<section class="stack"><h2>${heading}</h2>${table(heading, [name, ...columns], byTemplate)}</section>`
    }
    const parts = [
      part(t.issued, t.issuanceMetrics, data.issuances),
      part(t.verifications, t.presentationMetrics, data.presentations),
    ]
    const isEmpty = data.issuances.length + data.presentations.length === 0
    const none = html`<div class="empty"><p>${t.noFigures}</p></div>`
    const main = html`${chooser}
    ${isEmpty ? none : html`${byTime !== null && chartOf(t, language, byTime.data)}${parts}`}
    <p class="hint">${t.asOf} ${when(frame, String(meta.asOf))}</p>`
    const file = html`<p class="download"><a href="${fileLink(isByDay)}">${frame.t.download}</a></p>`
    return { title: t.figuresTitle, main: html`${main}${!isEmpty && file}` }
  },
})

function fileLink(isByDay: boolean): string {
  return `${PATH}?${new URLSearchParams({ ...(isByDay && { by: 'day' }), download: 'csv' })}`
}

/** A line for each template, time and figure. */
function fileOf({ issuances, presentations }: Statistics) {
  const kinds = { issuance: issuances, presentation: presentations }
  const lines = Object.entries(kinds).flatMap(([kind, rows]) =>
    rows.flatMap(({ month, day, templateId, templateName, ...figures }) =>
      Object.entries(figures).map(([name, value]) => [kind, day ?? month, templateId, templateName, name, value]),
    ),
  )
  const head = ['kind', 'time', 'templateId', 'templateName', 'figure', 'value']
  return csvFile('figures', [head, ...lines].map(csvLine).join(''))
}

/** Figures. */
export const figureScreens: readonly Endpoint[] = figures
