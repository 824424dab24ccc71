import type { ApiOperation, ReplyOf } from '../../contract/api-operation.ts'
import type { ListOperation } from '../../contract/operation-group.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { type Html, html } from '../../pages/html.ts'
import { button } from '../../pages/parts.ts'
import { type Column, pager, table } from '../../pages/table.ts'
import { emptyList } from './empty-list.ts'
import { type Frame, listOf, type Screen, screen } from './screen.ts'
import type { MenuPlace } from './shell.ts'
import { keptSort, type Orders, sortIn, sortingOf } from './sorting.ts'
import { type Counted, countedPageOf, totalLine } from './total.ts'

/** A row of a list of the API. */
type RowOf<O extends ListOperation> = ReplyOf<O>[number]

/** What stands in place of rows. `fits`: where filters are set. */
type None = {
  readonly fits: string
  readonly empty: string
  readonly reasons?: readonly string[]
  readonly way?: Html | false | null
}

/** A list of the API on a screen. `M`: what the screen reads besides. */
type TableSpec<O extends ListOperation, M> = {
  readonly place: MenuPlace
  readonly path: `/console/${string}`
  /** One sentence, in English. */
  readonly summary: string
  readonly operation: O
  readonly texts: (frame: Frame) => { readonly title: string; readonly counted: Counted; readonly lead?: string }
  readonly crumbs?: (frame: Frame) => NonNullable<Screen['crumbs']>
  readonly orders?: Orders
  /** The filters that are set, by member of the API. */
  readonly filters: (frame: Frame) => Readonly<Record<string, string | undefined>>
  /** What the screen reads besides the list, at the same time. */
  readonly read?: (frame: Frame) => Promise<M>
  /** The fields in which filters are set. */
  readonly fields?: (frame: Frame, more: M) => Html | null
  /** What stands behind the button of the filters. */
  readonly behind?: (frame: Frame) => Html
  readonly columns: (frame: Frame, more: M, rows: readonly RowOf<O>[]) => readonly Column<RowOf<O>>[]
  /** The order of the rows of a page, where it is another than that of the API. */
  readonly arranged?: (rows: readonly RowOf<O>[]) => readonly RowOf<O>[]
  /** What is around the table. */
  readonly around?: (frame: Frame, shown: Html, rows: readonly RowOf<O>[]) => Html
  /** @param isFollowed Whether a page without rows has one behind it. */
  readonly none: (frame: Frame, isFollowed: boolean) => None
  /** Below what stands in place of rows, where no filter is set. */
  readonly belowNone?: (frame: Frame) => Html | undefined
  readonly above?: (frame: Frame, more: M) => Html | null | undefined
  readonly actions?: (frame: Frame) => Html
}

/**
 * Returns the screen of a list: filters, how many rows there are, a table or what stands in its place, and its pages.
 */
export function tableScreen<O extends ListOperation, M = undefined>(spec: TableSpec<O, M>): readonly Endpoint[] {
  const { place, path, summary, operation, orders } = spec
  const asked = (frame: Frame) => ({
    ...spec.filters(frame),
    ...(orders !== undefined && { sort: sortIn(frame.query, orders) }),
  })
  return screen({
    place,
    path,
    summary,
    download: (frame) => listOf<ApiOperation>(operation, { query: asked(frame) }),
    show: async (frame) => {
      const [{ data, links, meta }, read] = await Promise.all([
        frame.api.call<ListOperation>(operation, { query: { ...asked(frame), ...countedPageOf(frame.query) } }),
        spec.read?.(frame),
      ])
      // The serializer of the list wrote the rows. Without `read` nothing is read, and M is undefined.
      const [rows, more] = [data as readonly RowOf<O>[], read as M]
      const t = spec.texts(frame)
      const { after, before } = frame.query
      const isFiltered = [...Object.values(spec.filters(frame)), after, before].some(Boolean)
      const fields = isFiltered || rows.length > 0 ? spec.fields?.(frame, more) : null
      return {
        title: t.title,
        ...(spec.crumbs !== undefined && { crumbs: spec.crumbs(frame) }),
        main: html`${t.lead !== undefined && html`<p class="lead">${t.lead}</p>`}${spec.above?.(frame, more)}
${fields && filterForm(frame, fields, spec)}
${totalLine(frame, meta, t.counted)}
${rows.length === 0 ? instead(frame, spec, isFiltered, links.next !== undefined) : shown(frame, spec, more, rows)}
${pager(frame.texts, links, frame.here)}`,
        actions: spec.actions?.(frame),
        isEmpty: rows.length === 0,
      }
    },
  })
}

type Described = Pick<TableSpec<ListOperation, unknown>, 'path' | 'orders' | 'behind'>

function filterForm(frame: Frame, fields: Html, { path, orders, behind }: Described): Html {
  const sort = orders !== undefined && keptSort(frame, orders)
  return html`<form class="filter" method="get" action="${path}">${fields}
${sort}${button(frame.t.filter)}${behind?.(frame)}</form>`
}

function instead<O extends ListOperation, M>(
  frame: Frame,
  { none, belowNone }: TableSpec<O, M>,
  isFiltered: boolean,
  isFollowed: boolean,
): Html {
  return html`${emptyList(frame, { isFiltered, ...none(frame, isFollowed) })}${!isFiltered && belowNone?.(frame)}`
}

function shown<O extends ListOperation, M>(
  frame: Frame,
  { texts, columns, orders, around = (_, inside) => inside, arranged = (all) => all }: TableSpec<O, M>,
  more: M,
  rows: readonly RowOf<O>[],
): Html {
  const sorting = orders === undefined ? undefined : sortingOf(frame, orders)
  return around(frame, table(texts(frame).title, columns(frame, more, rows), arranged(rows), sorting), rows)
}
