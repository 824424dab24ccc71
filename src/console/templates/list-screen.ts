import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden, searchInput } from '../../pages/controls.ts'
import { html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { tableScreen } from '../frame/table-screen.ts'
import { when } from '../frame/when.ts'
import { templateTexts } from './texts.ts'

const LIST = '/console/templates'
const textsOf = ({ language }: Frame) => templateTexts[language]
const canWrite = (frame: Frame) => may(frame, 'issuance:write')

/** The list of templates. */
export const templateList: readonly Endpoint[] = tableScreen({
  place: 'templates',
  path: LIST,
  summary: 'Lists the credential templates.',
  operation: credentialTemplates.list,
  texts: textsOf,
  orders: { names: ['createdAt', 'name'], byDefault: '-createdAt' },
  filters: ({ query: { q, archived } }) => ({
    'search[name]': q?.trim(),
    ...(archived !== undefined && { 'filter[archived]': 'true' }),
  }),
  fields: (frame) => {
    const { archived } = frame.query
    const search = searchInput('q', textsOf(frame).search, frame.query.q)
    return html`${search}${archived !== undefined && hidden('archived', archived)}`
  },
  behind: (frame) => {
    const t = textsOf(frame)
    return frame.query.archived === undefined
      ? buttonLink(t.archived, `${LIST}?archived=1`)
      : buttonLink(t.active, LIST)
  },
  columns: (frame) => {
    const t = textsOf(frame)
    return [
      { heading: t.name, cell: ({ id, name }) => html`<a href="${LIST}/${id}">${name}</a>`, sort: 'name' },
      { heading: t.kind, cell: ({ format }) => t.formats[format] },
      { heading: t.changed, cell: ({ updatedAt }) => when(frame, updatedAt) },
      {
        heading: t.issue,
        cell: ({ id, name, archivedAt }) => {
          if (archivedAt !== null) return badge(t.isArchived, 'plain')
          return canWrite(frame)
            ? html`<a href="/console/issue/${id}" aria-label="${t.issue}: ${name}">${t.issue}</a>`
            : '–'
        },
      },
    ]
  },
  none: (frame) => {
    const t = textsOf(frame)
    const ways = Object.entries(t.starts).map(([from, text]) => buttonLink(text, `${LIST}/new?from=${from}`))
    return { fits: t.emptyFilter, empty: t.empty, way: canWrite(frame) && html`${ways}` }
  },
  actions: (frame) =>
    html`<div class="buttons">${canWrite(frame) && buttonLink(textsOf(frame).new, `${LIST}/new`, 'main')}</div>`,
})
