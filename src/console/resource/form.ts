import type { TSchema } from 'typebox'
import type { ApiOperation, BodyOf } from '../../contract/api-operation.ts'
import type { Language } from '../../contract/languages.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { type Html, html } from '../../pages/html.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { type Problems, problemsOf } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import { type FormField, type Labelled, type Typed, textIn } from './fields.ts'

/** What is in a form, by member of the API. */
export type Draft = Readonly<Record<string, Typed>>

/** The keys of texts that are one sentence. */
export type Label<T> = { readonly [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string

type Described<O extends ApiOperation, T> = {
  readonly [K in keyof BodyOf<O> & Label<T>]?: FormField
}

/** A field in which two versions differ, and what each says in words. */
type Differing = { readonly label: string; readonly theirs: string; readonly yours: string }

/** The form of a noun. */
export type ResourceForm = {
  /** That of something new. */
  readonly blank: Draft
  /** Returns the form of what the API returned. */
  readonly saved: (row: object) => Draft
  /** Returns what was typed. */
  readonly read: (fields: Fields) => Draft
  readonly draw: (frame: Frame, draft: Draft, problems: Problems, isNew: boolean) => Html
  /** Returns the body of something new: members without a value are left out. */
  readonly body: (draft: Draft) => JsonObject
  /** Returns the members that differ: what the person left alone is not sent, so that it cannot be refused. */
  readonly changes: (draft: Draft, saved: Draft) => JsonObject
  /** Returns what can be told before the API is asked. */
  readonly faults: (frame: Frame, draft: Draft) => Problems
  /** Returns the findings of the API at their fields; rethrows what is no finding about the body. */
  readonly refused: (frame: Frame, draft: Draft, error: unknown) => Problems
  readonly differing: (frame: Frame, theirs: Draft, yours: Draft) => readonly Differing[]
}

/** What a form is of, besides its fields. */
type About<T> = {
  /** The text of a 409, at the member that it names. */
  readonly taken?: Label<T>
}

/**
 * Returns the form of a noun: its fields in their order by member of the API, each labelled by the text of that key, with the text of
 * `{key}Hint` below it. What the API requires and how long a text may be is read from the body of `create`.
 */
export function resourceForm<O extends ApiOperation, T extends object>(
  create: O,
  texts: Readonly<Record<Language, T>>,
  described: Described<O, T>,
  { taken }: About<T> = {},
): ResourceForm {
  // The members of an object that was typed above.
  const fields = Object.entries(described) as unknown as readonly (readonly [string, FormField])[]
  const kinds = new Map(fields)
  const shown = (isNew: boolean) => fields.filter(([, one]) => isNew || one.isOnlyNew !== true)
  const given = (draft: Draft, isNew: boolean): JsonObject =>
    Object.fromEntries(shown(isNew).map(([name, one]) => [name, one.give(draft[name] ?? one.blank)]))
  const textsOf = ({ language }: Frame) => new Map<string, string>(Object.entries(texts[language]))

  return {
    blank: Object.fromEntries(fields.map(([name, one]) => [name, one.blank])),

    saved: (row) => {
      const values = new Map<string, Json>(Object.entries(row))
      return Object.fromEntries(fields.map(([name, one]) => [name, one.fill(values.get(name) ?? null)]))
    },

    read: (sent) => Object.fromEntries(fields.map(([name, one]) => [name, one.read(sent, name)])),

    draw: (frame, draft, { fields: wrong }, isNew) => {
      const t = textsOf(frame)
      const drawn = shown(isNew).map(([name, one]) => {
        const hint = t.get(`${name}Hint`)
        const labelled = {
          name,
          label: t.get(name) ?? name,
          error: wrong[name],
          ...(hint !== undefined && { hint }),
          ...limitsOf(create.body, name),
        }
        return one.draw(frame, labelled, draft[name] ?? one.blank)
      })
      return html`${drawn}`
    },

    body: (draft) => Object.fromEntries(Object.entries(given(draft, true)).filter(([, value]) => value !== null)),

    changes: (draft, saved) => {
      const before = given(saved, false)
      return Object.fromEntries(Object.entries(given(draft, false)).filter(([name, one]) => !isSame(one, before[name])))
    },

    faults: (frame, draft) => {
      const found = fields.flatMap(([name, one]) => {
        const fault = one.fault?.(frame, draft[name] ?? one.blank) ?? null
        return fault === null ? [] : [[name, fault] as const]
      })
      return { fields: Object.fromEntries(found) }
    },

    refused: (frame, draft, error) => {
      const t = textsOf(frame)
      const nameIn = (pointer: string) => pointer.split('/')[1] ?? ''
      const findings = problemsOf(error, (pointer) => (kinds.has(nameIn(pointer)) ? pointer : null), frame.t)
      const isTaken = taken !== undefined && error instanceof ApiRefusal && error.status === 409
      const words = (name: string, path: readonly string[], why: string) => {
        const now = draft[name] ?? []
        if (path.length === 0 && now.length === 1 && textIn(now) === '') return frame.t.required(t.get(name) ?? name)
        if (isTaken) return t.get(taken) ?? why
        return kinds.get(name)?.place?.(frame, now, path, why) ?? why
      }
      const said = new Map<string, string>()
      for (const [pointer, why] of Object.entries(findings.fields)) {
        const [, name = '', ...path] = pointer.split('/')
        const before = said.get(name)
        const one = words(name, path, why)
        said.set(name, before === undefined ? one : `${before} ${one}`)
      }
      return { ...findings, fields: Object.fromEntries(said) }
    },

    differing: (frame, theirs, yours) => {
      const t = textsOf(frame)
      const all = shown(false).map(([name, one]) => {
        const words = (draft: Draft) => one.words(frame, draft[name] ?? one.blank)
        return { label: t.get(name) ?? name, theirs: words(theirs), yours: words(yours) }
      })
      return all.filter((one) => one.theirs !== one.yours)
    },
  }
}

/** What the schema of a body says of a member. */
function limitsOf(body: TSchema | undefined, name: string): Pick<Labelled, 'isOptional' | 'lengthMax'> {
  // A schema is JSON.
  const { required, properties } = (body ?? {}) as JsonObject
  const member = isJsonObject(properties) ? properties[name] : undefined
  const lengthMax = isJsonObject(member) ? member.maxLength : undefined
  return {
    isOptional: !(Array.isArray(required) && required.includes(name)),
    ...(typeof lengthMax === 'number' && { lengthMax }),
  }
}

/** The order of a list does not count. */
function isSame(one: Json, other: Json | undefined): boolean {
  const words = (value: Json | undefined) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value)
  return words(one) === words(other)
}
