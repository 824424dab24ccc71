import type { Json } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { type Choice, checkboxes, textArea } from '../../pages/controls.ts'
import { field, type Field as Input } from '../../pages/form.ts'
import type { Html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ruleWords, typedAll } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'

/** What is in a field of a form: one text, or each value that is ticked; empty: nothing. */
export type Typed = readonly string[]

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
}

/** A kind of field: how the value of a member is shown, typed and sent. */
type Kind = {
  readonly blank: Typed
  readonly draw: (frame: Frame, one: Labelled, now: Typed) => Html
  readonly read: (fields: Fields, name: string) => Typed
  /** Returns what the field has for a value that the API returned. */
  readonly fill: (value: Json) => Typed
  /** Returns the value for the API. Null: the member has none; in a new body it is left out then. */
  readonly give: (now: Typed) => Json
  /** Says it in words, where two versions are compared. */
  readonly words: (frame: Frame, now: Typed) => string
  /** Says where a finding of the API is. @param path Below the member. */
  readonly place?: (frame: Frame, now: Typed, path: readonly string[], why: string) => string
  /** What can be told before the API is asked: what is typed is no value at all. */
  readonly fault?: (frame: Frame, now: Typed) => string | null
}

/** Where a field is shown. */
type Traits = {
  /** Only of what is new: it cannot be changed. */
  readonly isOnlyNew?: true
}

/** One field of a form. */
export type FormField = Kind & Traits

/** Returns the text of a field. */
export function textIn([text = '']: Typed): string {
  return text
}

type TextTraits = Traits & Pick<Input, 'type' | 'isName'>

/** A line of text; empty, an optional one has no value. */
export function text({ isOnlyNew, ...more }: TextTraits = {}): FormField {
  return {
    ...(isOnlyNew && { isOnlyNew }),
    blank: [''],
    draw: (frame, one, now) => field(frame, { ...more, ...one, value: textIn(now) }),
    read: (fields, name) => [typed(fields, name)],
    fill: (value) => [value === null ? '' : String(value)],
    give: (now) => textIn(now) || null,
    words: (_, now) => textIn(now),
  }
}

/** Several lines, each of which is an entry. `isCode`: what is typed is for machines. */
export function lines({ rows = 2 }: { readonly rows?: number } = {}): FormField {
  return manyLines({
    rows,
    fill: (entries) => entries.map(String).join('\n'),
    give: (content) => linesIn(content).map(([, one]) => one),
  })
}

/** As {@link lines}, with another way from what is typed to the entries. */
export function manyLines({
  rows,
  isCode = false,
  fill,
  give,
  ...more
}: Pick<Kind, 'place' | 'fault'> & {
  readonly rows: number
  readonly isCode?: boolean
  readonly fill: (entries: readonly Json[]) => string
  readonly give: (content: string) => readonly Json[]
}): FormField {
  return {
    blank: [''],
    draw: (frame, one, now) =>
      textArea(frame, { ...one, rows, isCode, value: textIn(now), lengthMax: LINES_CHARS_MAX }),
    read: (fields, name) => [typed(fields, name).replaceAll('\r\n', '\n')],
    fill: (value) => [Array.isArray(value) ? fill(value) : ''],
    give: (now) => [...give(textIn(now))],
    words: (_, now) => textIn(now),
    place: (frame, now, [index], why) => {
      const [number] = linesIn(textIn(now))[Number(index)] ?? []
      return number === undefined ? why : frame.t.line(number, why)
    },
    ...more,
  }
}

const LINES_CHARS_MAX = 200_000

/** Returns the lines that are not empty, each with its number from 1. */
export function linesIn(content: string): readonly (readonly [number: number, text: string])[] {
  return content
    .split('\n')
    .map((line, index) => [index + 1, line.trim()] as const)
    .filter(([, line]) => line !== '')
}

type Choices = (frame: Frame) => readonly (Choice & { readonly hint?: string })[]

/** Boxes to tick, each of which is an entry. @param blank Those that are ticked in the form of something new. */
export function ticks(choices: Choices, blank: Typed = [], { isNeeded }: { readonly isNeeded?: true } = {}): FormField {
  return {
    blank,
    ...(isNeeded && { fault: ({ t }, now) => (now.length === 0 ? (ruleWords(t, 'minItems', '1') ?? '') : null) }),
    draw: (frame, { name, label, error }, now) => {
      // What is chosen and has no words yet stays chosen.
      const known = choices(frame)
      const others = now.filter((one) => known.every(({ value }) => value !== one))
      return checkboxes(name, label, [...known, ...others.map((value) => ({ value, text: value }))], now, error)
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
