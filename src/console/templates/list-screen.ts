import { credentialTemplates } from '../../contract/issuance/credential-templates.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink } from '../../pages/parts.ts'
import { badge, pager, table } from '../../pages/table.ts'
import { emptyList } from '../frame/empty-list.ts'
import { type Frame, listOf, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { keptSort, sortIn, sortingOf } from '../frame/sorting.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import type { Template } from './content/template.ts'
import { type TemplateTexts, templateTexts } from './texts.ts'

const LIST = '/console/templates'
const orders = { names: ['createdAt', 'name'], byDefault: '-createdAt' }

function filtersIn({ q, archived }: Frame['query']): Record<string, string | undefined> {
  return { 'search[name]': q, ...(archived !== undefined && { 'filter[archived]': 'true' }) }
}

/** The list of templates. */
export const templateList: readonly Endpoint[] = screen({
  place: 'templates',
  path: LIST,
  summary: 'Lists the credential templates.',
  download: ({ query }) =>
    listOf(credentialTemplates.list, { query: { ...filtersIn(query), sort: sortIn(query, orders) } }),
  show: async (frame) => {
    const t = templateTexts[frame.language]
    const { q, archived } = frame.query
    const { data, links, meta } = await frame.api.call(credentialTemplates.list, {
      query: {
        ...filtersIn(frame.query),
        ...countedPageOf(frame.query),
        sort: sortIn(frame.query, orders),
      },
    })
    const isFiltered = (q ?? '') !== '' || archived !== undefined || frame.query.after !== undefined
    const actions = html`<div class="buttons">${may(frame, 'issuance:write') && buttonLink(t.new, `${LIST}/new`, 'main')}</div>`
    const main = html`${(isFiltered || data.length > 0) && filter(frame, t)}${totalLine(frame, meta, t.counted)}
${data.length > 0 ? rowsOf(frame, t, data) : emptyList(frame, { isFiltered, fits: t.emptyFilter, empty: t.empty, way: startsOf(frame, t) })}
${pager(frame.texts, links, frame.here)}`
    return { title: t.title, main, actions, isEmpty: data.length === 0 }
  },
})

function filter(frame: Frame, t: TemplateTexts): Html {
  const { query, t: common } = frame
  const other = query.archived === undefined ? buttonLink(t.archived, `${LIST}?archived=1`) : buttonLink(t.active, LIST)
  return html`<form class="filter" method="get" action="${LIST}"><div class="field"><label for="q">${t.search}</label><input id="q" name="q" type="search" maxlength="200" value="${query.q ?? ''}"></div>${query.archived !== undefined && hidden('archived', query.archived)}${keptSort(frame, orders)}${button(common.filter)}${other}</form>`
}

function rowsOf(frame: Frame, t: TemplateTexts, templates: readonly Template[]): Html {
  const canIssue = may(frame, 'issuance:write')
  return table(
    t.title,
    [
      { heading: t.name, cell: ({ id, name }) => html`<a href="${LIST}/${id}">${name}</a>`, sort: 'name' },
      { heading: t.kind, cell: ({ format }) => t.formats[format] },
      { heading: t.changed, cell: ({ updatedAt }) => when(frame, updatedAt) },
      {
        heading: t.issue,
        cell: ({ id, name, archivedAt }) =>
          archivedAt !== null
            ? badge(t.isArchived, 'plain')
            : (canIssue && html`<a href="/console/issue/${id}" aria-label="${t.issue}: ${name}">${t.issue}</a>`) || '–',
      },
    ],
    templates,
    sortingOf(frame, orders),
  )
}

/** Ways to a first template. */
function startsOf(frame: Frame, t: TemplateTexts): Html {
  const ways = Object.entries(t.starts).map(([from, text]) => buttonLink(text, `${LIST}/new?from=${from}`))
  return html`${may(frame, 'issuance:write') && ways}`
}
