import type { ListOperation } from '../../contract/operation-group.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden, searchInput, select } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { buttonLink } from '../../pages/parts.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { tableScreen } from '../frame/table-screen.ts'
import type { AnyResource } from './noun.ts'
import { idIn, pathOf } from './read-one.ts'
import { shownIn, textOf } from './shown.ts'

/** What a list shows besides its rows. */
type Read = {
  readonly columns: Exclude<AnyResource['columns'], (...args: never) => unknown>
  readonly above: Html | null
}

/** Returns the list of a noun. */
export function listScreen(one: AnyResource): readonly Endpoint[] {
  const { noun, place, path, texts, called, under, sort, name, parentOf, behind } = one
  const { sorts = name.isSorted === true && sort !== undefined ? [sort] : [] } = one
  const way = (frame: Frame, look?: 'main') =>
    mayWrite(frame, one) && buttonLink(texts[frame.language].new, `${path}/new`, look)
  return tableScreen<ListOperation, Read>({
    place,
    path,
    summary: `Lists ${called.many}.`,
    operation: noun.list,
    texts: ({ language }) => texts[language],
    ...(under !== undefined && { crumbs: (frame) => [...under(frame), [texts[frame.language].title]] }),
    ...(sort !== undefined && { orders: { names: sorts, byDefault: sort } }),
    filters: ({ query }) => filtersIn(one, query),
    ...(behind !== undefined && { behind }),
    read: async (frame) => {
      const [columns, above = null] = await Promise.all([
        typeof one.columns === 'function' ? one.columns(frame) : one.columns,
        one.above?.(frame),
      ])
      return { columns, above }
    },
    fields: (frame) => filterFields(one, frame),
    // The rows are those of the operation of the noun, which its columns take.
    columns: (frame, { columns }, rows) =>
      columnsOf(one, frame, columns, rows as readonly never[]).map((column) => ({
        ...column,
        cell: (row) => column.cell(row as never),
      })),
    ...(parentOf !== undefined && { arranged: (rows) => arranged(parentOf, rows as readonly never[]) }),
    none: (frame, isFollowed) => {
      const t = texts[frame.language]
      const { search } = one
      const notYet = isFollowed && search?.notYet !== undefined ? textOf(one, frame, search.notYet) : null
      const fits = notYet ?? (search === undefined ? t.empty : textOf(one, frame, search.empty))
      const { reasons = [], ways = null } = one.needed?.(frame) ?? {}
      const add = way(frame) && (one.starts?.(frame) || way(frame))
      return { fits, empty: notYet ?? t.empty, reasons, way: add && html`${add}${ways}` }
    },
    belowNone: (frame) => one.whenEmpty?.(frame),
    above: (_, { above }) => above,
    actions: (frame) => html`<div class="buttons">${one.ways?.(frame)}${way(frame, 'main')}</div>`,
  })
}

/** Puts each row below the one that it belongs to. One that belongs to none of the page stands alone. */
function arranged(parentOf: (row: never) => string, rows: readonly never[]): readonly never[] {
  const below = Map.groupBy<string, never>(rows, parentOf)
  const tops = rows.filter((row) => !isBelow(parentOf, rows, row))
  return tops.flatMap((row) => [row, ...(below.get(idIn(row)) ?? [])])
}

function isBelow(parentOf: (row: never) => string, rows: readonly never[], row: never): boolean {
  const parent = parentOf(row)
  return rows.some((one) => idIn(one) === parent)
}

/** Whether the person may add or change such things, so far as the page knows. */
export function mayWrite(frame: Frame, { noun }: Pick<AnyResource, 'noun'>): boolean {
  return noun.create.scope === null || may(frame, noun.create.scope)
}

function filtersIn(
  { search, filters = {}, narrowed = {} }: AnyResource,
  query: Frame['query'],
): Readonly<Record<string, string | undefined>> {
  const chosen = Object.keys(filters).map((name) => [`filter[${name}]`, query[name]?.trim()] as const)
  const kept = Object.entries(narrowed).map(([name, of]) => {
    const value = query[name]
    return [`filter[${name}]`, value === undefined ? undefined : of(value)] as const
  })
  const all = Object.fromEntries([...chosen, ...kept])
  return { ...(search !== undefined && { 'search[name]': query.q?.trim() }), ...all }
}

function columnsOf(one: AnyResource, frame: Frame, columns: Read['columns'], rows: readonly never[]) {
  const { name, parentOf, sort, hasNoPage } = one
  const nameOf = (row: never) => {
    const called = foreign(name.of(row, frame))
    return hasNoPage ? called : html`<a href="${pathOf(one, row)}">${called}</a>`
  }
  const cell = (row: never) =>
    parentOf !== undefined && isBelow(parentOf, rows, row)
      ? html`<span class="below">${nameOf(row)}</span>`
      : html`${nameOf(row)}${name.below?.(row, frame)}`
  const by = name.isSorted === true ? sort : name.isSorted
  const first = { heading: textOf(one, frame, name.label), cell, ...(by !== undefined && { sort: by }) }
  return [first, ...shownIn(one, frame, columns)]
}

function filterFields(one: AnyResource, frame: Frame): Html | null {
  const { search, filters = {}, narrowed = {} } = one
  if (search === undefined && Object.keys(filters).length === 0) return null
  const lists = Object.entries(filters).map(([name, { label, choices }]) =>
    select(frame, {
      name,
      label: textOf(one, frame, label),
      value: frame.query[name] ?? '',
      choices: [{ value: '', text: frame.t.all }, ...choices(frame)],
    }),
  )
  const find = search !== undefined && searchInput('q', textOf(one, frame, search.label), frame.query.q)
  const kept = Object.keys(narrowed).flatMap((name) => {
    const value = frame.query[name]
    return value === undefined ? [] : [hidden(name, value)]
  })
  return html`${find}${lists}${kept}`
}
