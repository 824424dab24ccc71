import type { ApiOperation } from '../../contract/api-operation.ts'
import type { ListOperation } from '../../contract/operation-group.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { select } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink } from '../../pages/parts.ts'
import { pager, table } from '../../pages/table.ts'
import { emptyList } from '../frame/empty-list.ts'
import { type Frame, listOf, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { keptSort, sortIn, sortingOf } from '../frame/sorting.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import type { AnyResource } from './noun.ts'
import { idIn, pathOf } from './read-one.ts'
import { shownIn, textOf } from './shown.ts'

/** Returns the list of a noun. */
export function listScreen(one: AnyResource): readonly Endpoint[] {
  const { noun, place, path, texts, called } = one
  return screen({
    place,
    path,
    summary: `Lists ${called.many}.`,
    download: ({ query }) => listOf<ApiOperation>(noun.list, { query: askedBy(one, query) }),
    show: async (frame) => {
      const t = texts[frame.language]
      const asked = { query: { ...askedBy(one, frame.query), ...countedPageOf(frame.query) } }
      const [{ data, links, meta }, described, above] = await Promise.all([
        frame.api.call<ListOperation>(noun.list, asked),
        typeof one.columns === 'function' ? one.columns(frame) : one.columns,
        one.above?.(frame),
      ])
      // The serializer of the list wrote the rows.
      const { rows, isBelow } = arranged(one, data as never[])
      const columns = columnsOf(one, frame, described, isBelow)
      const isFiltered = filtersIn(one, frame.query).some(Boolean)
      const canWrite = mayWrite(frame, one)
      const way = canWrite && buttonLink(t.new, `${path}/new`)
      const none = instead(one, frame, { isFiltered, isFollowed: links.next !== undefined, way })
      const shown = rows.length === 0 ? none : table(t.title, columns, rows, sortingOf(frame, ordersOf(one)))
      return {
        title: t.title,
        ...(one.under !== undefined && { crumbs: [...one.under(frame), [t.title]] }),
        main: html`${t.lead !== undefined && html`<p class="lead">${t.lead}</p>`}${above}
${(isFiltered || rows.length > 0) && filterForm(one, frame)}
${totalLine(frame, meta, t.counted)}${shown}${pager(frame.texts, links, frame.here)}`,
        actions: html`<div class="buttons">${one.ways?.(frame)}${canWrite && buttonLink(t.new, `${path}/new`, 'main')}</div>`,
        isEmpty: rows.length === 0,
        modules: one.above === undefined ? [] : ['copy-text'],
      }
    },
  })
}

/** What stands in place of rows. A page behind the last row has none either. */
function instead(
  one: AnyResource,
  frame: Frame,
  { isFollowed, way, ...found }: { isFiltered: boolean; isFollowed: boolean; way: Html | false },
): Html {
  const t = one.texts[frame.language]
  const { search } = one
  const isFiltered = found.isFiltered || frame.query.after !== undefined || frame.query.before !== undefined
  const none = search === undefined ? t.empty : textOf(one, frame, search.empty)
  const notYet = isFollowed && search?.notYet !== undefined ? textOf(one, frame, search.notYet) : null
  const { reasons = [], ways = null } = one.needed?.(frame) ?? {}
  const empty = emptyList(frame, {
    isFiltered,
    fits: notYet ?? none,
    empty: notYet ?? t.empty,
    reasons,
    way: way && html`${way}${ways}`,
  })
  return html`${empty}${!isFiltered && one.whenEmpty?.(frame)}`
}

/** Whether the person may add or change such things, so far as the page knows. */
export function mayWrite(frame: Frame, { noun }: Pick<AnyResource, 'noun'>): boolean {
  return noun.create.scope === null || may(frame, noun.create.scope)
}

function ordersOf({ sort = '', name }: AnyResource) {
  return { names: name.isSorted ? [sort] : [], byDefault: sort }
}

/** The values of the filters in the address. */
function filtersIn({ search, filters = {} }: AnyResource, query: Frame['query']): readonly (string | undefined)[] {
  return [...(search === undefined ? [] : ['q']), ...Object.keys(filters)].map((name) => query[name]?.trim())
}

function askedBy(one: AnyResource, query: Frame['query']): Readonly<Record<string, string | undefined>> {
  const { sort, search, filters = {} } = one
  const chosen = Object.keys(filters).map((name) => [`filter[${name}]`, query[name]] as const)
  return {
    ...(sort !== undefined && { sort: sortIn(query, ordersOf(one)) }),
    ...(search !== undefined && { 'search[name]': query.q?.trim() }),
    ...Object.fromEntries(chosen),
  }
}

/** Rows in their order, and which of them stand below the one before. */
type Arranged = { readonly rows: readonly never[]; readonly isBelow: (row: never) => boolean }

/** Puts each row below the one that it belongs to. One that belongs to none of the page stands alone. */
function arranged({ parentOf }: AnyResource, rows: readonly never[]): Arranged {
  if (parentOf === undefined) return { rows, isBelow: () => false }
  const ids = new Set(rows.map(idIn))
  const isBelow = (row: never) => ids.has(parentOf(row))
  const below = Map.groupBy<string, never>(rows, parentOf)
  const tops = rows.filter((row) => !isBelow(row))
  return { rows: tops.flatMap((row) => [row, ...(below.get(idIn(row)) ?? [])]), isBelow }
}

function columnsOf(
  one: AnyResource,
  frame: Frame,
  described: Awaited<Exclude<AnyResource['columns'], (...args: never) => unknown>>,
  isBelow: Arranged['isBelow'],
) {
  const { label, of, below, isSorted } = one.name
  const nameOf = (row: never) =>
    one.hasNoPage ? foreign(of(row, frame)) : html`<a href="${pathOf(one, row)}">${foreign(of(row, frame))}</a>`
  const name = {
    heading: textOf(one, frame, label),
    cell: (row: never) =>
      isBelow(row) ? html`<span class="below">${nameOf(row)}</span>` : html`${nameOf(row)}${below?.(row, frame)}`,
    ...(isSorted && one.sort !== undefined && { sort: one.sort }),
  }
  return [name, ...shownIn(one, frame, described)]
}

function filterForm(one: AnyResource, frame: Frame): Html | null {
  const { search, filters = {} } = one
  if (search === undefined && Object.keys(filters).length === 0) return null
  const input = html`<input id="q" name="q" type="search" maxlength="200" value="${frame.query.q ?? ''}">`
  const find =
    search !== undefined &&
    html`<div class="field"><label for="q">${textOf(one, frame, search.label)}</label>${input}</div>`
  const lists = Object.entries(filters).map(([name, { label, choices }]) =>
    select(frame, {
      name,
      label: textOf(one, frame, label),
      value: frame.query[name] ?? '',
      choices: [{ value: '', text: frame.t.all }, ...choices(frame)],
    }),
  )
  return html`<form class="filter" method="get" action="${one.path}">${find}${lists}
${keptSort(frame, ordersOf(one))}${button(frame.t.filter)}</form>`
}
