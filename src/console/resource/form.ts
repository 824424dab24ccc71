import type { TSchema } from 'typebox'
import type { ApiOperation, BodyOf } from '../../contract/api-operation.ts'
import type { Language } from '../../contract/languages.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { Fields } from '../../http/routes/endpoint.ts'
import { stepsOf } from '../../json-pointer.ts'
import { type Html, html } from '../../pages/html.ts'
import { isSearching } from '../frame/chooser.ts'
import { findingsOf, hasProblems, type Place, type Problems } from '../frame/form-values.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import { type Draft, type FormField, type Labelled, moreIn } from './fields.ts'

/** The keys of texts that are one sentence. */
export type Label<T> = { readonly [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string

/** A field and its member. */
type Named = readonly [name: string, one: FormField]

/** The operations whose bodies a form makes: what is new, and what is changed, as a whole or by member. */
type Written = {
  readonly create?: ApiOperation
  readonly change?: ApiOperation
  readonly replace?: ApiOperation
}

/** The members of a body, and those of its members. */
type MembersOf<B> = { [K in keyof B & string]-?: K | `${K}-${keyof NonNullable<B[K]> & string}` }[keyof B & string]

type Described<N extends Written, T> = {
  readonly [K in (MembersOf<BodyOf<NonNullable<N['create']>>> | MembersOf<BodyOf<NonNullable<N['change']>>>) &
    Label<T>]?: FormField
} & { readonly [K in Label<T>]?: FormField & { readonly member?: string } }

/** A field in which two versions differ, and what each says in words. */
export type Differing = { readonly label: string; readonly theirs: string; readonly yours: string }

/**
 * The form of a noun, as its screens use it.
 *
 * @template D What is in it; screens only hand it on.
 */
export type FormOf<D> = {
  /** That of something new. */
  readonly blank: D
  /** Returns the form of what the API returned. */
  readonly saved: (row: object) => D
  /** Returns what was typed. @param saved What the form does not show of something that is there. */
  readonly read: (fields: Fields, saved?: D, fileOf?: Frame['fileOf']) => D
  readonly draw: (frame: Frame, draft: D, problems: Problems, isNew: boolean) => Html
  /** Returns the body of all of it: members without a value are left out. */
  readonly body: (draft: D) => object
  /** Returns the members that differ: what the person left alone is not sent, so that it cannot be refused. */
  readonly changes?: (draft: D, saved: D) => JsonObject
  /** Returns the form with more places to type in, if it was sent for them; else null. */
  readonly more: (frame: Pick<Frame, 'fields' | 'language'>, draft: D) => D | null
  /** Returns what has to be typed again where the form is shown again. */
  readonly again: (frame: Frame, draft: D) => Problems
  /** Returns what can be told before the API is asked. */
  readonly faults: (frame: Frame, draft: D, isNew: boolean) => Problems
  /** Returns the findings of the API at their fields; rethrows what is no finding about the body. */
  readonly refused: (frame: Frame, draft: D, error: unknown, isNew: boolean) => Problems
  readonly differing: (frame: Frame, theirs: D, yours: D) => readonly Differing[]
  /** Whether it was sent to search in one of its lists, and not to be saved. */
  readonly isSearching: (frame: Frame) => boolean
  /** What stands in place of the form of something new, as long as that cannot be made. */
  readonly instead?: (frame: Frame) => Html | null
  /** The form is a page by itself: that of something new, and in place of the page of one. */
  readonly page?: (frame: Frame, shown: ShownForm<D>) => Pick<Screen, 'main' | 'style' | 'modules'>
  /** A part of its page that was asked for, by a script, instead of saving it. */
  readonly fragment?: (frame: Frame, draft: D) => Html | null
}

/** A form as it is shown. */
export type ShownForm<D> = {
  readonly draft: D
  readonly problems: Problems
  readonly isNew: boolean
  /** Where it is sent. */
  readonly action: string
  /** Where Cancel leads. */
  readonly back: string
  /** Members that are sent along. */
  readonly kept: Html
  /** Both versions after a conflict. */
  readonly both?: Html | undefined
}

/** A form of fields of known kinds. */
export type ResourceForm = Omit<FormOf<Draft>, 'body' | 'changes'> & {
  /** Returns one of its fields, for a form with a layout of its own. @param row The one that it is of, if any. */
  readonly field: (frame: Frame, draft: Draft, problems: Problems, name: string, row?: number) => Html
  /** Returns where a finding of the API is shown; null: in none of its fields. */
  readonly placeOf: (frame: Frame, draft: Draft, pointer: string, isNew?: boolean) => Place | null
  readonly body: (draft: Draft) => JsonObject
  readonly changes: (draft: Draft, saved: Draft) => JsonObject
}

/** Returns a form with drafts of its own, for screens, which only hand drafts on. */
export function ownForm<D>(one: FormOf<D>): FormOf<Draft> {
  // Its drafts come back to it alone.
  return one as unknown as FormOf<Draft>
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
  const bodies = { new: noun.create?.body, changed: (noun.change ?? noun.replace)?.body }
  const shownOf = {
    new: fields.filter((one) => hasMember(bodies.new, memberOf(one)) && one[1].isOnlyChanged !== true),
    changed: fields.filter((one) => hasMember(bodies.changed, memberOf(one)) && one[1].isOnlyNew !== true),
  }
  const textsOf = ({ language }: Frame) => new Map<string, string>(Object.entries(texts[language]))
  const each = <V>(of: (one: FormField, name: string) => V): Record<string, V> =>
    Object.fromEntries(fields.map(([name, one]) => [name, of(one, name)]))
  const given = (draft: Draft, what: 'new' | 'changed'): JsonObject => {
    const typedIn = fields.map((one) => [memberOf(one), one[1].give(draft[one[0]] ?? one[1].blank)] as const)
    const all = complete(Object.fromEntries(typedIn))
    return Object.fromEntries(shownOf[what].map(memberOf).map((member) => [member, all[member] ?? null]))
  }
  const again = (frame: Frame, draft: Draft) => {
    const found = fields.map(([name, one]) => [name, one.again?.(frame, draft[name] ?? one.blank) ?? null] as const)
    return Object.fromEntries(found.filter(([, why]) => why !== null)) as Problems['fields']
  }
  /** In the order of the form, with what has to be typed again. */
  const whole = (frame: Frame, draft: Draft, found: Problems): Problems => {
    if (!hasProblems(found)) return found
    const all = Object.entries({ ...again(frame, draft), ...found.fields })
    const placeOf = (name: string) => fields.findIndex(([one]) => one === name)
    return { ...found, fields: Object.fromEntries(all.toSorted(([one], [other]) => placeOf(one) - placeOf(other))) }
  }
  const blank = each((one) => one.blank)
  const placeOf = (frame: Frame, draft: Draft, pointer: string, isNew = true): Place | null => {
    const within = shownOf[isNew ? 'new' : 'changed'].filter((one) => isBelow(pointer, memberOf(one)))
    // That of a member of a member is nearer.
    const found = within.toSorted((one, other) => memberOf(other).length - memberOf(one).length)[0]
    if (found === undefined) return null
    const [name, kind] = found
    const path = stepsOf(pointer).slice(memberOf(found).split('-').length)
    const say = (why: string) => kind.place?.(frame, draft[name] ?? [], path, why) ?? why
    return { name, say, limit: kind.limit, label: textsOf(frame).get(name) }
  }
  const drawn = (frame: Frame, draft: Draft, { fields: wrong }: Problems, one: Named, isNew: boolean, row?: number) => {
    const [name, kind] = one
    const t = textsOf(frame)
    const now = draft[name] ?? kind.blank
    const hint = kind.hint?.(frame) ?? t.get(`${name}Hint`)
    const id = row === undefined ? name : `${name}-${row}`
    const labelled = {
      name: id,
      label: t.get(name) ?? name,
      error: wrong[id] ?? kind.again?.(frame, now) ?? undefined,
      isNew,
      ...(hint !== undefined && { hint }),
      ...limitsOf(bodies, memberOf(one)),
    }
    return kind.draw(frame, labelled, now)
  }

  return {
    blank,
    placeOf,

    saved: (row) => {
      // What the API returned is JSON.
      return each((one, name) => one.fill(memberAt(row as JsonObject, one.from ?? memberOf([name, one])) ?? null))
    },

    read: (sent, saved = {}) => {
      const isShown = new Set(shownOf.changed.map(([name]) => name))
      const kept = fields.filter(([name]) => saved[name] !== undefined && !isShown.has(name))
      return {
        ...each((one, name) => one.read(sent, name, saved[name])),
        ...Object.fromEntries(kept.map(([name]) => [name, saved[name] ?? []])),
      }
    },

    field: (frame, draft, problems, name, row) => {
      const found = fields.find(([of]) => of === name)
      return html`${found && drawn(frame, draft, problems, found, true, row)}`
    },

    draw: (frame, draft, problems, isNew) => {
      const t = textsOf(frame)
      const { fields: wrong } = problems
      const shown = shownOf[isNew ? 'new' : 'changed']
      const all = (some: readonly Named[]) => some.map((one) => drawn(frame, draft, problems, one, isNew))
      const rare = shown.filter(([, one]) => one.isSeldom)
      if (rare.length === 0) return html`${all(shown)}`
      const unset = Object.fromEntries(rare.map(([name, one]) => [name, one.blank]))
      const [now, without] = [given(draft, 'new'), given({ ...draft, ...unset }, 'new')]
      const isSet = (member: string) => !isSame(now[member], without[member])
      const isOpen = rare.some((one) => wrong[one[0]] !== undefined || isSet(memberOf(one)))
      const inside = html`<div class="stack">${all(rare)}</div>`
      const group = html`<details${isOpen && html` open`}><summary>${t.get('more')}</summary>${inside}</details>`
      const at = shown.findIndex(([, one]) => one.isSeldom)
      const behind = shown.slice(at).filter(([, one]) => !one.isSeldom)
      return html`${all(shown.slice(0, at))}${group}${all(behind)}`
    },

    body: (draft) => {
      const stated = Object.entries(given(draft, 'new')).filter(([, value]) => value !== null)
      return nested(Object.fromEntries(stated))
    },

    changes: (draft, saved) => {
      const before = nested(given(saved, 'changed'))
      const now = Object.entries(nested(given(draft, 'changed')))
      const ordered = new Set(fields.filter(([, one]) => one.isOrdered).map(memberOf))
      return Object.fromEntries(now.filter(([name, value]) => !isSame(value, before[name], ordered.has(name))))
    },

    more: ({ fields: sent }, draft) => {
      const [name = '', one] = fields.find(([of]) => of === moreIn(sent)) ?? []
      return one?.more === undefined ? null : { ...draft, [name]: one.more(draft[name] ?? one.blank) }
    },

    again: (frame, draft) => ({ fields: again(frame, draft) }),

    faults: (frame, draft, isNew) => {
      const t = textsOf(frame)
      const found = shownOf[isNew ? 'new' : 'changed'].flatMap(([name, one]) => {
        const now = draft[name] ?? one.blank
        const isMissing = one.give(now) === null && !limitsOf(bodies, memberOf([name, one])).isOptional
        const fault = isMissing ? frame.t.required(t.get(name) ?? name) : (one.fault?.(frame, now, draft) ?? null)
        return fault === null ? [] : [[name, fault] as const]
      })
      return whole(frame, draft, { fields: Object.fromEntries(found) })
    },

    refused: (frame, draft, error, isNew) => {
      return whole(
        frame,
        draft,
        findingsOf(frame, error, (pointer) => placeOf(frame, draft, pointer, isNew)),
      )
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

function memberOf([name, { member = name }]: Named): string {
  return member
}

/** Returns a member, or that of a member by `claims-email`. */
function memberAt(value: Json | undefined, path: string): Json | undefined {
  return path.split('-').reduce<Json | undefined>((at, name) => (isJsonObject(at) ? at[name] : undefined), value)
}

/** Returns the object of members that are stated by path. */
function nested(flat: JsonObject): JsonObject {
  const groups = Map.groupBy(Object.entries(flat), ([path]) => path.split('-', 1)[0] ?? '')
  const members = [...groups].map(([name, all]) => {
    const inside = all.map(([path, value]) => [path.slice(name.length + 1), value] as const)
    return [name, name in flat ? (flat[name] ?? null) : nested(Object.fromEntries(inside))] as const
  })
  return Object.fromEntries(members)
}

/** Whether a JSON pointer is that of a member, or of something in it. */
function isBelow(pointer: string, path: string): boolean {
  return path.split('-').every((step, at) => stepsOf(pointer)[at] === step)
}

/** A schema is JSON. */
function memberIn(body: TSchema | undefined, path: string): Json | undefined {
  return memberAt(body as JsonObject | undefined, `properties-${path.replaceAll('-', '-properties-')}`)
}

function hasMember(body: TSchema | undefined, name: string): boolean {
  return memberIn(body, name) !== undefined
}

/** What the schemas of the bodies say of a member. What is never made is optional where null sets it. */
function limitsOf(
  bodies: { readonly new: TSchema | undefined; readonly changed: TSchema | undefined },
  name: string,
): Pick<Labelled, 'isOptional' | 'lengthMax'> {
  const { required } = (bodies.new ?? {}) as JsonObject
  const member = memberIn(bodies.new ?? bodies.changed, name)
  const all = (isJsonObject(member) && Array.isArray(member.anyOf) ? member.anyOf : [member]).filter(isJsonObject)
  const lengthMax = all.map((one) => one.maxLength).find((one) => typeof one === 'number')
  const isNeeded = Array.isArray(required) && required.includes(name)
  return {
    isOptional: bodies.new === undefined ? all.some(({ type }) => type === 'null') : !isNeeded,
    ...(lengthMax !== undefined && { lengthMax }),
  }
}

/** The order of a list does not count, unless it is said to. */
function isSame(one: Json | undefined, other: Json | undefined, isOrdered = false): boolean {
  const words = (value: Json | undefined) =>
    JSON.stringify(Array.isArray(value) && !isOrdered ? value.toSorted() : value)
  return words(one) === words(other)
}
