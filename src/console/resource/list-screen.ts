import type { ApiOperation } from '../../contract/api-operation.ts'
import type { ListOperation } from '../../contract/operation-group.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink } from '../../pages/parts.ts'
import { pager, table } from '../../pages/table.ts'
import { emptyList } from '../frame/empty-list.ts'
import { type Frame, listOf, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import type { AnyResource } from './noun.ts'
import { pathOf } from './read-one.ts'
import { shownIn, textOf } from './shown.ts'

/** Returns the list of a noun. */
export function listScreen(one: AnyResource): readonly Endpoint[] {
  const { noun, place, path, texts, called } = one
  return screen({
    place,
    path,
    summary: `Lists ${called.many}.`,
    download: ({ query }) => listOf<ApiOperation>(noun.list, { query: filtersOf(one, query) }),
    show: async (frame) => {
      const t = texts[frame.language]
      const { query } = frame
      const asked = { query: { ...filtersOf(one, query), ...countedPageOf(query) } }
      const { data, links, meta } = await frame.api.call<ListOperation>(noun.list, asked)
      // The serializer of the list wrote the rows.
      const rows = data as never[]
      // A page behind the last row has none either.
      const isFiltered = [query.q, query.after, query.before].some((value) => value !== undefined && value !== '')
      const canWrite = mayWrite(frame, one)
      const empty = emptyList(frame, {
        isFiltered,
        fits: one.search === undefined ? t.empty : textOf(one, frame, one.search.empty),
        empty: t.empty,
        way: canWrite && buttonLink(t.new, `${path}/new`),
      })
      const none = html`${empty}${!isFiltered && one.whenEmpty?.(frame)}`
      const shown = rows.length === 0 ? none : table(t.title, columnsOf(one, frame), rows)
      return {
        title: t.title,
        main: html`${t.lead !== undefined && html`<p class="lead">${t.lead}</p>`}${one.above?.(frame)}
${(isFiltered || rows.length > 0) && searchForm(one, frame)}
${totalLine(frame, meta, t.counted)}${shown}${pager(frame.texts, links, frame.here)}`,
        actions: html`<div class="buttons">${canWrite && buttonLink(t.new, `${path}/new`, 'main')}</div>`,
        isEmpty: rows.length === 0,
        modules: one.above === undefined ? [] : ['copy-text'],
      }
    },
  })
}

/** Whether the person may add or change such things, so far as the page knows. */
export function mayWrite(frame: Frame, { noun }: Pick<AnyResource, 'noun'>): boolean {
  return noun.create.scope === null || may(frame, noun.create.scope)
}

function filtersOf({ sort, search }: AnyResource, { q }: Frame['query']): Readonly<Record<string, string | undefined>> {
  return { sort, ...(search !== undefined && { 'search[name]': q }) }
}

function columnsOf(one: AnyResource, frame: Frame) {
  const { label, of, below } = one.name
  const name = {
    heading: textOf(one, frame, label),
    cell: (row: never) => html`<a href="${pathOf(one, row)}">${foreign(of(row))}</a>${below?.(row)}`,
  }
  return [name, ...shownIn(one, frame, one.columns)]
}

function searchForm(one: AnyResource, frame: Frame): Html | null {
  if (one.search === undefined) return null
  const label = textOf(one, frame, one.search.label)
  const { q = '' } = frame.query
  const input = html`<input id="q" name="q" type="search" maxlength="200" value="${q}">`
  return html`<form class="filter" method="get" action="${one.path}"><div class="field"><label for="q">${label}</label>${input}</div>
${button(frame.t.filter)}</form>`
}
