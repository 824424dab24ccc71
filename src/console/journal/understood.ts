import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { message, rows } from '../../pages/parts.ts'
import type { Frame } from '../frame/screen.ts'
import type { LookedUp, Meaning } from './look-up.ts'
import { type JournalTexts, journalTexts } from './texts.ts'

/** What a filter of the audit trail is about: the member that a person types, and the one that a link has. */
type Part = { readonly typed: 'who' | 'reference'; readonly linked: 'actor' | 'subject' }

/**
 * Returns what the page has understood of a filter: of whom or what the entries are, with the way to all others; or
 * what it may mean, to choose.
 *
 * @param known What the entries call it that a link has chosen by its id
 */
export function understood(frame: Frame, part: Part, looked: LookedUp, known: string | undefined): Html | null {
  const t = journalTexts[frame.language]
  const { ids, found, choices, unknown } = looked
  if (choices !== undefined) return chooser(frame, part, t, choices)
  const everything = html`<a href="${addressOf(frame, part, {})}">${t.everything[part.typed]}</a>`
  if (unknown !== undefined) return message('note', t.unknown[part.typed](unknown), html`<p>${everything}</p>`)
  if (ids === undefined || ids === '') return null
  const name = found === undefined ? foreign(known ?? t.chosen) : named(found)
  return html`<p class="total">${t.only[part.typed]} <b>${name}</b> · ${everything}</p>`
}

function chooser(frame: Frame, part: Part, t: JournalTexts, choices: readonly Meaning[]): Html {
  const items = choices.map((one) => ({
    title: html`<a href="${addressOf(frame, part, one.query)}">${foreign(one.name)}</a>`,
    ...(one.about !== '' && { about: foreign(one.about, 255) }),
  }))
  return html`<section class="panel narrow">
    <header><h2>${t.which[part.typed]}</h2></header>
    ${rows(t.which[part.typed], items)}
  </section>`
}

function named({ name, about }: Meaning): Html {
  return html`${foreign(name)}${about !== '' && html` (${foreign(about, 255)})`}`
}

/** The address of the page with another choice, from its first page on. */
function addressOf({ here }: Frame, { typed, linked }: Part, chosen: Readonly<Record<string, string>>): string {
  const [path = '', query = ''] = here.split('?', 2)
  const members = new URLSearchParams(query)
  for (const name of [typed, linked, 'after', 'before', 'lang']) members.delete(name)
  for (const [name, value] of Object.entries(chosen)) members.set(name, value)
  return members.size === 0 ? path : `${path}?${members}`
}
