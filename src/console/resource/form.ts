import type { TSchema } from 'typebox'
import type { ApiOperation, BodyOf } from '../../contract/api-operation.ts'
import type { Language } from '../../contract/languages.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { stepsOf } from '../../json-pointer.ts'
import { type Html, html } from '../../pages/html.ts'
import { isSearching } from '../frame/chooser.ts'
import { type Problems, problemsOf } from '../frame/form-values.ts'
import type { Frame } from '../frame/screen.ts'
import type { FormField, Labelled, Typed } from './fields.ts'

/** What is in a form, by member of the API. */
export type Draft = Readonly<Record<string, Typed>>

/** The keys of texts that are one sentence. */
export type Label<T> = { readonly [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string

/** A field and its member. */
type Named = readonly [name: string, one: FormField]

/** The operations whose bodies a form makes: what is new, and what is changed, as a whole or by member. */
type Written = {
  readonly create: ApiOperation
  readonly change?: ApiOperation
  readonly replace?: ApiOperation
}

type Described<N extends Written, T> = {
  readonly [K in (keyof BodyOf<N['create']> | keyof BodyOf<NonNullable<N['change']>>) & Label<T>]?: FormField
}

/** A field in which two versions differ, and what each says in words. */
type Differing = { readonly label: string; readonly theirs: string; readonly yours: string }

/** The form of a noun. */
export type ResourceForm = {
  /** That of something new. */
  readonly blank: Draft
  /** Returns the form of what the API returned. */
  readonly saved: (row: object) => Draft
  /** Returns what was typed. @param saved What the form does not show of something that is there. */
  readonly read: (fields: Fields, saved?: Draft) => Draft
  readonly draw: (frame: Frame, draft: Draft, problems: Problems, isNew: boolean) => Html
  /** Returns the body of something new: members without a value are left out. */
  readonly body: (draft: Draft) => JsonObject
  /** Returns the members that differ: what the person left alone is not sent, so that it cannot be refused. */
  readonly changes: (draft: Draft, saved: Draft) => JsonObject
  /** Returns what can be told before the API is asked. */
  readonly faults: (frame: Frame, draft: Draft, isNew: boolean) => Problems
  /** Returns the findings of the API at their fields; rethrows what is no finding about the body. */
  readonly refused: (frame: Frame, draft: Draft, error: unknown, isNew: boolean) => Problems
  readonly differing: (frame: Frame, theirs: Draft, yours: Draft) => readonly Differing[]
  /** Whether it was sent to search in one of its lists, and not to be saved. */
  readonly isSearching: (frame: Frame) => boolean
  /** What stands in place of the form of something new, as long as that cannot be made. */
  readonly instead?: (frame: Frame) => Html | null
}

/**
 * Returns the form of a noun: its fields in their order by member of the API, each labelled by the text of that key,
 * with the text of `{key}Hint` below it. Which members can be changed, what is required and how long a text may be is
 * read from the contract.
 *
 * @param complete States what follows from other members where nothing is typed.
 */
export function resourceForm<N extends Written, T extends object>(
  noun: N,
  texts: Readonly<Record<Language, T>>,
  described: Described<N, T>,
  complete: (members: JsonObject) => JsonObject = (members) => members,
): ResourceForm {
  // The members of an object that was typed above.
  const fields = Object.entries(described) as unknown as readonly Named[]
  const bodies = { new: noun.create.body, changed: (noun.change ?? noun.replace)?.body }
  const shownOf = {
    new: fields.filter(([name, one]) => hasMember(bodies.new, name) && one.isOnlyChanged !== true),
    changed: fields.filter(([name, one]) => hasMember(bodies.changed, name) && one.isOnlyNew !== true),
  }
  const textsOf = ({ language }: Frame) => new Map<string, string>(Object.entries(texts[language]))
  const each = <V>(of: (one: FormField, name: string) => V): Record<string, V> =>
    Object.fromEntries(fields.map(([name, one]) => [name, of(one, name)]))
  const given = (draft: Draft, what: 'new' | 'changed'): JsonObject => {
    const all = complete(each((one, name) => one.give(draft[name] ?? one.blank)))
    return Object.fromEntries(shownOf[what].map(([name]) => [name, all[name] ?? null]))
  }
  const blank = each((one) => one.blank)

  return {
    blank,

    saved: (row) => {
      const values = new Map<string, Json>(Object.entries(row))
      return each((one, name) => one.fill(values.get(name) ?? null))
    },

    read: (sent, saved = {}) => {
      const isShown = new Set(shownOf.changed.map(([name]) => name))
      const kept = fields.filter(([name]) => saved[name] !== undefined && !isShown.has(name))
      return {
        ...each((one, name) => one.read(sent, name)),
        ...Object.fromEntries(kept.map(([name]) => [name, saved[name] ?? []])),
      }
    },

    draw: (frame, draft, { fields: wrong }, isNew) => {
      const t = textsOf(frame)
      const shown = shownOf[isNew ? 'new' : 'changed']
      const drawn = ([name, one]: Named) => {
        const hint = one.hint?.(frame) ?? t.get(`${name}Hint`)
        const labelled = {
          name,
          label: t.get(name) ?? name,
          error: wrong[name],
          isNew,
          ...(hint !== undefined && { hint }),
          ...limitsOf(bodies.new, name),
        }
        return one.draw(frame, labelled, draft[name] ?? one.blank)
      }
      const rare = shown.filter(([, one]) => one.isSeldom)
      if (rare.length === 0) return html`${shown.map(drawn)}`
      const unset = Object.fromEntries(rare.map(([name, one]) => [name, one.blank]))
      const [now, without] = [given(draft, 'new'), given({ ...draft, ...unset }, 'new')]
      const isOpen = rare.some(([name]) => wrong[name] !== undefined || !isSame(now[name], without[name]))
      const inside = html`<div class="stack">${rare.map(drawn)}</div>`
      const group = html`<details${isOpen && html` open`}><summary>${t.get('more')}</summary>${inside}</details>`
      const at = shown.findIndex(([, one]) => one.isSeldom)
      const behind = shown.slice(at).filter(([, one]) => !one.isSeldom)
      return html`${shown.slice(0, at).map(drawn)}${group}${behind.map(drawn)}`
    },

    body: (draft) => Object.fromEntries(Object.entries(given(draft, 'new')).filter(([, value]) => value !== null)),

    changes: (draft, saved) => {
      const before = given(saved, 'changed')
      const now = Object.entries(given(draft, 'changed'))
      return Object.fromEntries(now.filter(([name, value]) => !isSame(value, before[name])))
    },

    faults: (frame, draft, isNew) => {
      const t = textsOf(frame)
      const found = shownOf[isNew ? 'new' : 'changed'].flatMap(([name, one]) => {
        const now = draft[name] ?? one.blank
        const isMissing = one.give(now) === null && !limitsOf(bodies.new, name).isOptional
        const fault = isMissing ? frame.t.required(t.get(name) ?? name) : (one.fault?.(frame, now) ?? null)
        return fault === null ? [] : [[name, fault] as const]
      })
      return { fields: Object.fromEntries(found) }
    },

    refused: (frame, draft, error, isNew) => {
      const kinds = new Map(shownOf[isNew ? 'new' : 'changed'])
      const nameIn = (pointer: string) => stepsOf(pointer)[0] ?? ''
      const findings = problemsOf(error, (pointer) => (kinds.has(nameIn(pointer)) ? pointer : null), {
        rules: frame.t.rules,
        limitOf: (pointer, limit) => kinds.get(nameIn(pointer))?.limit?.(limit) ?? limit,
      })
      const said = new Map<string, string>()
      for (const [pointer, why] of Object.entries(findings.fields)) {
        const [name = '', ...path] = stepsOf(pointer)
        const before = said.get(name)
        const one = kinds.get(name)?.place?.(frame, draft[name] ?? [], path, why) ?? why
        said.set(name, before === undefined || before === one ? one : `${before} ${one}`)
      }
      return { ...findings, fields: Object.fromEntries(said) }
    },

    differing: (frame, theirs, yours) => {
      const t = textsOf(frame)
      const all = shownOf.changed.map(([name, one]) => {
        const words = (draft: Draft) => one.words(frame, draft[name] ?? one.blank)
        return { label: t.get(name) ?? name, theirs: words(theirs), yours: words(yours) }
      })
      return all.filter((one) => one.theirs !== one.yours)
    },

    isSearching: (frame) => fields.some(([name]) => isSearching(frame, name)),
  }
}

function memberIn(body: TSchema | undefined, name: string): Json | undefined {
  // A schema is JSON.
  const { properties } = (body ?? {}) as JsonObject
  return isJsonObject(properties) ? properties[name] : undefined
}

function hasMember(body: TSchema | undefined, name: string): boolean {
  return memberIn(body, name) !== undefined
}

/** What the schema of a body says of a member. */
function limitsOf(body: TSchema | undefined, name: string): Pick<Labelled, 'isOptional' | 'lengthMax'> {
  const { required } = (body ?? {}) as JsonObject
  const member = memberIn(body, name)
  const lengthMax = isJsonObject(member) ? member.maxLength : undefined
  return {
    isOptional: !(Array.isArray(required) && required.includes(name)),
    ...(typeof lengthMax === 'number' && { lengthMax }),
  }
}

/** The order of a list does not count. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  const words = (value: Json | undefined) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value)
  return words(one) === words(other)
}
