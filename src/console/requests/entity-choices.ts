import { trustedEntities } from '../../contract/trust/trusted-entities.ts'
import { checkboxes } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { allOf, type Choices, isSearching, type Named, readChoices, searchField, searchIn } from '../frame/chooser.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { CREDENTIALS_MAX } from './draft.ts'
import { requestTexts } from './texts.ts'

/** Boxes of each credential, besides those that are ticked: a request has up to ten credentials. */
const SHOWN = 25

const names = Array.from({ length: CREDENTIALS_MAX }, (_, at) => `entities-${at}`)

/**
 * Reads trusted entities to choose from, as far as the person may see them. All credentials of a request have one list:
 * that of the last search.
 */
export async function readEntities(frame: Frame): Promise<Choices> {
  if (!may(frame, 'trust:read')) return allOf([])
  const name = names.find((one) => searchIn(frame, one) !== '' && isSearching(frame, one))
  const shown = names.find((one) => searchIn(frame, one) !== '')
  return readChoices(frame, trustedEntities, searchIn(frame, name ?? shown ?? ''), { size: SHOWN })
}

/** Whether a form was sent to search in trusted entities. */
export function isSearchingEntities(frame: Frame): boolean {
  return names.some((name) => isSearching(frame, name))
}

/**
 * Returns the choices with the entities that are chosen already, wherever in the list they stand; one call where some
 * are missing.
 */
export async function withChosen(frame: Frame, choices: Choices, chosen: readonly string[]): Promise<Choices> {
  const missing = [...new Set(chosen)].filter((one) => !choices.rows.some(({ id }) => id === one))
  if (missing.length === 0) return choices
  const found = may(frame, 'trust:read') ? await readByIds(frame, missing) : []
  const unknown = missing.filter((one) => !found.some(({ id }) => id === one)).map((id) => ({ id, name: id }))
  return { ...choices, rows: [...found, ...unknown, ...choices.rows] }
}

async function readByIds({ api }: Frame, ids: readonly string[]): Promise<readonly Named[]> {
  return (
    await api.call(trustedEntities.list, { query: { 'filter[id]': ids.join(','), 'page[size]': '100', sort: 'name' } })
  ).data
}

/**
 * Returns the boxes of trusted entities of the credential at a position, with a search where they are not all there
 * are.
 */
export function entityFields(frame: Frame, choices: Choices, chosen: readonly string[], at: number): Html {
  const t = requestTexts[frame.language]
  const name = `entities-${at}`
  if (choices.rows.length === 0 && choices.search === '')
    return html`<p class="hint">${t.noEntities} <a href="/console/trusted">${frame.t.menu.trusted}</a></p>`
  const shown = choices.rows.map(({ id, name: text }) => ({ value: id, text }))
  return html`${checkboxes(name, t.entities, shown, chosen)}${searchField(frame, name, choices)}`
}
