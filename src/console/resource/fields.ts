import type { Json } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { type Choice, checkbox, checkboxes, select, textArea } from '../../pages/controls.ts'
import { field, type Field as Input } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { button } from '../../pages/parts.ts'
import { chooser, chosenIn, type Choices as Rows } from '../frame/chooser.ts'
import { ruleWords, typedAll } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'

/** What is in a field of a form: one text, or each value that is ticked; empty: nothing. */
export type Typed = readonly string[]

/** What is in a form, by member of the API. That of a member is `claims-email`: it is an id in the page. */
export type Draft = Readonly<Record<string, Typed>>

/** A field where it stands: its name is that of the member of the API. */
export type Labelled = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly error?: string | undefined
  /** The API does not require the member. */
  readonly isOptional: boolean
  /** Of the member, or of each of its entries. */
  readonly lengthMax?: number
  readonly isNew: boolean
}

/** A kind of field: how the value of a member is shown, typed and sent. */
type Kind = {
  readonly blank: Typed
  readonly draw: (frame: Frame, one: Labelled, now: Typed) => Html
  /** @param saved What was there before; undefined in the form of something new. */
  readonly read: (fields: Fields, name: string, saved?: Typed) => Typed
  /** Returns what the field has for a value that the API returned. */
  readonly fill: (value: Json) => Typed
  /** Returns the value for the API. Null: the member has none; in a new body it is left out then. */
  readonly give: (now: Typed) => Json
  /** Says it in words, where two versions are compared. */
  readonly words: (frame: Frame, now: Typed) => string
  /** Says where a finding of the API is. @param path Below the member. */
  readonly place?: (frame: Frame, now: Typed, path: readonly string[], why: string) => string
  /** What can be told before the API is asked: what is typed is no value at all. */
  readonly fault?: (frame: Frame, now: Typed, draft: Draft) => string | null
  /** What has to be typed again, as the form that is shown again does not have it. */
  readonly again?: (frame: Frame, now: Typed) => string | null
  /** Returns it with more places to type in, for which it has a {@link moreButton}. */
  readonly more?: (now: Typed) => Typed
  /** What a limit of the API is in this field. */
  readonly limit?: (limit: string) => string
}

/** One field of a form. */
export type FormField = Kind & {
  /** It is not in the form of something new. */
  readonly isOnlyChanged?: true
  /** It is not in the form that changes one, though the API could change it. */
  readonly isOnlyNew?: true
  /** What stands below its label, in place of the text of `{key}Hint`. */
  readonly hint?: (frame: Frame) => string
  /** The member of what the API returned from which it is filled, where that is another one. */
  readonly from?: string
  /** Its member of the body, where that has another name than the field. */
  readonly member?: string
  /** The order of its entries counts. */
  readonly isOrdered?: true
  /** It is in a group that is open where something in it is set or wrong; the text `more` is its summary. */
  readonly isSeldom?: true
}

/** Puts fields into the group of what is seldom changed. */
export function seldom(one: FormField): FormField {
  return { ...one, isSeldom: true }
}

/** Returns the field of a member, or of a member of a member, that has another name: `display-name`. */
export function of(member: string, one: FormField): FormField {
  return { ...one, member }
}

/** Returns a field that may be left empty, though the API requires its member. */
export function optional(one: FormField): FormField {
  return { ...one, draw: (frame, labelled, now) => one.draw(frame, { ...labelled, isOptional: true }, now) }
}

/** Returns the text of a field. */
export function textIn([text = '']: Typed): string {
  return text
}

/** A line of text; empty it has no value. */
export function text(more: Pick<Input, 'type' | 'isName'> = {}): FormField {
  return {
    blank: [''],
    draw: (frame, one, now) => field(frame, { ...more, ...one, value: textIn(now) }),
    read: (fields, name) => [typed(fields, name)],
    fill: (value) => [value === null ? '' : String(value)],
    give: (now) => textIn(now) || null,
    words: (_, now) => textIn(now),
  }
}

/** A line of entries, between which are spaces. */
export function spacedEntries(blank: Typed = [], lengthMax = 10_000): FormField {
  return {
    ...text(),
    blank: [blank.join(' ')],
    draw: (frame, one, now) => field(frame, { ...one, lengthMax, isName: true, value: textIn(now) }),
    fill: (value) => [Array.isArray(value) ? value.join(' ') : ''],
    give: (now) => textIn(now).split(/\s+/).filter(Boolean),
  }
}

/**
 * A secret, which is never shown: the one that is there stays, unless another one is typed or it is taken away.
 *
 * @param from The member that says whether there is one.
 */
export function secret(from: string): FormField {
  return {
    from,
    blank: ['', ''],
    draw: (frame, { hint, ...one }, now) => {
      const t = frame.t.secret
      const about = isThere(now) ? { hint: t.kept } : hint === undefined ? {} : { hint }
      const input = field(frame, { ...one, ...about, type: 'password', autocomplete: 'new-password' })
      const none = { name: `${one.name}-none`, label: t.none, isOn: now[1] === REMOVED }
      return html`${input}${isThere(now) && checkbox(none)}`
    },
    read: (fields, name, saved = ['', '']) => {
      const isRemoved = isThere(saved) && typed(fields, `${name}-none`) === TICKED
      return [typed(fields, name), isRemoved ? REMOVED : (saved[1] ?? '')]
    },
    fill: (has) => ['', has === true ? KEPT : ''],
    // No secret is empty, so this is told apart from each.
    give: (now) => textIn(now) || (now[1] === KEPT ? '' : null),
    words: ({ texts }, now) => (textIn(now) !== '' || now[1] === KEPT ? texts.yes : texts.no),
    again: ({ t }, now) => (textIn(now) === '' ? null : t.secret.again),
  }
}

const KEPT = 'kept'
const REMOVED = 'removed'

function isThere([, state = '']: Typed): boolean {
  return state !== ''
}

/** The button of a field that adds places to type in. @param name Of the field. */
export function moreButton(label: string, name: string): Html {
  return button(label, { name: MORE, value: name })
}

/** Returns the field for which more places are asked; `''`: none, the form is sent. */
export function moreIn(fields: Fields): string {
  return typed(fields, MORE)
}

const MORE = 'more'

type NumberTraits = {
  /** What it has in the form of something new, and where it is left empty; without it an empty field has no value. */
  readonly blank?: string
  /** How many of the API are one of the field, e.g. 60: seconds are typed as minutes. */
  readonly unit?: number
}

/** Returns the number that was typed; what is none is left to the API. */
export function numberIn(written: string, unit = 1): number | string {
  if (!/^-?\d+([.,]\d{1,4})?$/.test(written)) return written
  const value = Number(written.replace(',', '.'))
  return unit === 1 ? value : Math.round(value * unit)
}

/** A number. */
export function number({ blank = '', unit = 1 }: NumberTraits = {}): FormField {
  const wordsOf = (value: number) => String(Number((value / unit).toFixed(4)))
  return {
    ...text({ isName: true }),
    blank: [blank],
    fill: (value) => [typeof value === 'number' ? wordsOf(value) : ''],
    give: (now) => {
      const written = textIn(now) || blank
      return written === '' ? null : numberIn(written, unit)
    },
    ...(unit !== 1 && { limit: (one) => (one === 'integer' ? 'number' : wordsOf(Number(one))) }),
  }
}

/** Several lines, each of which is an entry. */
export function lines({ rows = 2 }: { readonly rows?: number } = {}): FormField {
  return area({
    rows,
    fill: (value) => (Array.isArray(value) ? value.join('\n') : ''),
    give: (content) => linesIn(content).map(([, one]) => one),
  })
}

type Area = Pick<Kind, 'place' | 'fault'> & {
  readonly rows: number
  /** What is typed is for machines. */
  readonly isCode?: boolean
  readonly fill: (value: Json) => string
  readonly give: (content: string) => Json
}

/** A text of several lines, with its own way from what is typed to the value. A finding is at the line of its entry. */
export function area({ rows, isCode = false, fill, give, ...more }: Area): FormField {
  return {
    blank: [''],
    draw: (frame, one, now) =>
      textArea(frame, { ...one, rows, isCode, value: textIn(now), lengthMax: one.lengthMax ?? AREA_CHARS_MAX }),
    read: (fields, name) => [linesTyped(fields, name)],
    fill: (value) => [value === null ? '' : fill(value)],
    give: (now) => give(textIn(now)),
    words: (_, now) => textIn(now),
    place: (frame, now, [index], why) => {
      const [number] = linesIn(textIn(now))[Number(index)] ?? []
      return number === undefined ? why : frame.t.line(number, why)
    },
    ...more,
  }
}

const AREA_CHARS_MAX = 200_000

/** Returns the members of one row of a form as if it stood alone: `name-2` is `name`. */
export function rowIn(fields: Fields, row: number): Fields {
  const all = [`-${row}`, `-${row}[]`].flatMap((end) =>
    [...fields].flatMap(([name, values]) =>
      name.endsWith(end) ? [[`${name.slice(0, -end.length)}${end.slice(`-${row}`.length)}`, values] as const] : [],
    ),
  )
  return new Map(all)
}

/** Returns a text of several lines as it was before a browser sent it: with one character at the end of a line. */
export function linesTyped(fields: Fields, name: string): string {
  return typed(fields, name).replaceAll('\r\n', '\n')
}

/** Returns the lines that are not empty, each with its number from 1. */
export function linesIn(content: string): readonly (readonly [number: number, text: string])[] {
  return content
    .split('\n')
    .map((line, index) => [index + 1, line.trim()] as const)
    .filter(([, line]) => line !== '')
}

/** What can be chosen, in words. */
export type Choices = (frame: Frame) => readonly (Choice & { readonly hint?: string })[]

/** Boxes to tick, each of which is an entry. @param blank Those that are ticked in the form of something new. */
export function ticks(choices: Choices, blank: Typed = [], { isNeeded }: { readonly isNeeded?: true } = {}): FormField {
  return {
    blank,
    ...(isNeeded && { fault: ({ t }, now) => (now.length === 0 ? (ruleWords(t, 'minItems', '1') ?? '') : null) }),
    draw: (frame, { name, label, ...about }, now) => {
      // What is chosen and has no words yet stays chosen.
      const known = choices(frame)
      const others = now.filter((one) => known.every(({ value }) => value !== one))
      return checkboxes(name, label, [...known, ...others.map((value) => ({ value, text: value }))], now, about)
    },
    read: typedAll,
    fill: (value) => (Array.isArray(value) ? value.map(String) : []),
    give: (now) => [...now],
    words: (frame, now) => {
      const names = new Map(choices(frame).map(({ value, text: words }) => [value, words]))
      return now
        .toSorted()
        .map((one) => names.get(one) ?? one)
        .join(', ')
    },
  }
}

/**
 * A list to choose one of.
 *
 * @param give The value of a choice.
 * @param other What is chosen and has no words yet.
 */
export function choice(
  choices: Choices,
  blank: string,
  give: (chosen: string) => Json = (chosen) => chosen || null,
  other: (frame: Frame, value: string) => string = (_, value) => value,
): FormField {
  return {
    blank: [blank],
    draw: (frame, labelled, now) => {
      // What is chosen and has no words yet stays chosen.
      const [known, value] = [choices(frame), textIn(now)]
      const isKnown = value === '' || known.some((one) => one.value === value)
      const all = isKnown ? known : [...known, { value, text: other(frame, value) }]
      return select(frame, { ...labelled, isOptional: false, value, choices: all })
    },
    read: (fields, name) => [typed(fields, name)],
    fill: (value) => [value === null ? '' : String(value)],
    give: (now) => give(textIn(now)),
    words: (frame, now) => choices(frame).find(({ value }) => value === textIn(now))?.text ?? other(frame, textIn(now)),
  }
}

/** One of what was read, by its id: a list with a search in it. The form is made for the page that read it. */
export function chosen(rows: Rows): FormField {
  return {
    ...text(),
    draw: (frame, one, now) => {
      // What a search found alone is chosen, but not in place of what was saved.
      const value = one.isNew ? chosenIn(rows, textIn(now)) : textIn(now)
      return chooser(frame, { ...one, value }, rows)
    },
    words: (_, now) => rows.rows.find(({ id }) => id === textIn(now))?.name ?? textIn(now),
  }
}

type TickTraits = {
  /** It is ticked in the form of something new. */
  readonly isOn?: boolean
  /** The value where it is ticked; true by default. */
  readonly on?: Json
  /** The value where it is not; false by default. */
  readonly off?: Json
}

/** A box to tick. */
export function tick({ isOn = false, on = true, off = false }: TickTraits = {}): FormField {
  return {
    blank: isOn ? [TICKED] : [],
    draw: (_, { name, label, hint, error }, now) =>
      checkbox({ name, label, error, isOn: now.length > 0, ...(hint !== undefined && { hint }) }),
    read: (fields, name) => (typed(fields, name) === TICKED ? [TICKED] : []),
    fill: (value) => (value === on ? [TICKED] : []),
    give: (now) => (now.length > 0 ? on : off),
    words: ({ texts }, now) => (now.length > 0 ? texts.yes : texts.no),
  }
}

const TICKED = '1'
