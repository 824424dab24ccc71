import type { Static } from 'typebox'
import type { ApiOperation, OptionalSchema } from '../../contract/api-operation.ts'
import type { ListOperation } from '../../contract/operation-group.ts'
import { type Choice, hidden, select } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button } from '../../pages/parts.ts'
import { keptChoice } from './form-values.ts'
import type { Frame } from './screen.ts'

/** Something to choose: its id, and what people call it. */
export type Named = { readonly id: string; readonly name: string }

/** What a person chooses from. */
export type Choices<Row extends Named = Named> = {
  /** By name: the first of the list, or of those whose name contains `search`. */
  readonly rows: readonly Row[]
  readonly search: string
  /** There are more than `rows`. */
  readonly isCut: boolean
  /** Nothing has the name that was searched. */
  readonly isNone: boolean
}

const SEARCH_CHARS_MAX = 200
/** Rows of a list to choose one of. */
const SHOWN = 100

/** Returns choices that are all there are. */
export function allOf<Row extends Named>(rows: readonly Row[]): Choices<Row> {
  return { rows, search: '', isCut: false, isNone: false }
}

/** Returns what was searched in the chooser of a name, in the form of the page or in its address. */
export function searchIn({ fields, query }: Pick<Frame, 'fields' | 'query'>, name: string): string {
  return (typed(fields, `find-${name}`) || query[`find-${name}`]?.trim() || '').slice(0, SEARCH_CHARS_MAX)
}

/**
 * Whether a form was sent to search in the chooser of a name, and not to be saved: by its button, or with a text that
 * was not searched yet.
 */
export function isSearching({ fields }: Pick<Frame, 'fields'>, name: string): boolean {
  return typed(fields, 'do') === 'find' || typed(fields, `find-${name}`) !== typed(fields, `found-${name}`)
}

/** A noun of which a person chooses one: its list, and how one of them is read by its id. */
type Chosen = { readonly list: ListOperation; readonly get?: ApiOperation<string, OptionalSchema, undefined> }
type RowOf<N extends Chosen> = Static<N['list']['reply']['items']> & Named

/**
 * Reads what a person chooses from: one call of the API, and a second one if `chosen` is not among the first rows.
 *
 * @param noun Its rows have names. @param more `chosen`: id of what is chosen already; `''`: nothing. `size`: rows to
 *   read, at most 100.
 */
export async function readChoices<N extends Chosen>(
  frame: Pick<Frame, 'api'>,
  noun: N,
  search: string,
  { chosen = '', size = SHOWN }: { readonly chosen?: string | undefined; readonly size?: number } = {},
): Promise<Choices<RowOf<N>>> {
  const asked = { query: { 'page[size]': String(size), sort: 'name', 'search[name]': search } }
  const { data, links } = await frame.api.call<ListOperation>(noun.list, asked)
  // The serializer of the list wrote the rows.
  const listed = data as RowOf<N>[]
  const isListed = chosen === '' || listed.some(({ id }) => id === chosen)
  const others = isListed ? [] : await readChoice(frame, noun, chosen)
  return {
    rows: [...others, ...listed],
    search,
    isCut: links.next !== undefined,
    isNone: search !== '' && listed.length === 0,
  }
}

/** Returns the row of an id of a noun; none where there is no such row, or the person may not see it. */
export async function readChoice<N extends Chosen>(
  { api }: Pick<Frame, 'api'>,
  { get }: N,
  id: string,
): Promise<readonly RowOf<N>[]> {
  if (get === undefined) return []
  try {
    const { data } = await api.call<ApiOperation>(get, { params: { id } })
    // What one operation shows is what the list shows of it.
    return [data as RowOf<N>]
  } catch (error) {
    if (error instanceof ApiRefusal && [400, 403, 404].includes(error.status)) return []
    throw error
  }
}

type Chooser = {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly hint?: string
  readonly error?: string | undefined
  /** Before all others, e.g. that of a filter that is not set. */
  readonly first?: readonly Choice[]
  readonly last?: readonly Choice[]
}

/**
 * Returns a list to choose one of, with a search where it does not have everything. What is chosen stands in it in any
 * case.
 */
export function chooser(frame: Frame, one: Chooser, choices: Choices): Html {
  return html`${listOf(frame, one, choices)}${searchField(frame, one.name, choices)}`
}

/**
 * As {@link chooser}, in a form of filters, whose button searches too.
 *
 * @param choices null: they are missing; what is chosen stays.
 */
export function filterChooser(frame: Frame, one: Chooser, choices: Choices | null): Html {
  if (choices === null)
    return select(frame, { ...one, choices: [...(one.first ?? []), ...keptChoice(one.value, frame.t)] })
  const search = hasSearch(choices) && searchText(frame, one.name, choices, (input) => input)
  return html`${listOf(frame, one, choices)}${search}`
}

function listOf(frame: Frame, { first = [], last = [], ...one }: Chooser, { rows }: Choices): Html {
  const all = [...first, ...rows.map(({ id, name }) => ({ value: id, text: name })), ...last]
  const isKnown = one.value === '' || all.some(({ value }) => value === one.value)
  return select(frame, { ...one, choices: isKnown ? all : [{ value: one.value, text: one.value }, ...all] })
}

/**
 * Returns the field that searches in a chooser, with its button; nothing where the chooser has everything. It belongs
 * to the form of the chooser, so that what was typed there stays: where the form is sent, {@link isSearching} tells a
 * search from the rest.
 */
export function searchField(frame: Frame, name: string, choices: Choices): Html | null {
  if (!hasSearch(choices)) return null
  const go = button(frame.t.choose.search, { name: 'do', value: 'find' })
  const shown = searchText(frame, name, choices, (input) => html`<div class="with-button">${input}${go}</div>`)
  return html`${shown}${hidden(`found-${name}`, choices.search)}`
}

function hasSearch({ search, isCut }: Choices): boolean {
  return isCut || search !== ''
}

function searchText(
  { t: { choose: t } }: Frame,
  name: string,
  { search, isCut, isNone }: Choices,
  withButton: (input: Html) => Html,
): Html {
  const id = `find-${name}`
  const hint = isNone ? t.nothing : isCut ? t.first : t.found
  const input = html`<input id="${id}" name="${id}" type="search" maxlength="${SEARCH_CHARS_MAX}"
    value="${search}" aria-describedby="${id}-hint">`
  return html`<div class="field">
    <label for="${id}">${t.find}</label>
    <p class="hint" id="${id}-hint">${hint}</p>
    ${withButton(input)}
  </div>`
}

/**
 * Returns the id that a chooser which has no empty choice shows as chosen: what a search found alone, else what was
 * chosen before, else the first.
 */
export function chosenIn({ rows, search }: Choices, before: string): string {
  const found = rows.filter(({ id }) => id !== before)
  const [only] = found
  if (search !== '' && found.length === 1 && only !== undefined) return only.id
  return rows.some(({ id }) => id === before) ? before : (rows[0]?.id ?? '')
}
