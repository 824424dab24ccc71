import type { ApiOperation, MetaOf, OptionalSchema, ReplyOf } from '../../contract/api-operation.ts'
import type { Language } from '../../contract/languages.ts'
import type { ListOperation } from '../../contract/operation-group.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { Html } from '../../pages/html.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import type { MenuPlace } from '../frame/shell.ts'
import type { Choices, Draft } from './fields.ts'
import type { FormOf, Label } from './form.ts'

/** The operations of a noun. */
export type Noun = {
  readonly list: ListOperation
  readonly get: ApiOperation
  readonly create: ApiOperation
  /** One of both: the members that differ are sent, or all of them. */
  readonly change?: ApiOperation
  readonly replace?: ApiOperation
  /** One of both. */
  readonly delete?: Removal
  readonly archive?: Removal
}

type Removal = ApiOperation<`${string}{${string}}`, OptionalSchema, OptionalSchema, undefined>

type RowOf<N extends Noun> = ReplyOf<N['list']>[number]

/** Texts that every noun has. */
type ResourceTexts = {
  readonly title: string
  readonly counted: { readonly one: string; readonly many: string }
  readonly lead?: string
  /** The button that adds one. */
  readonly new: string
  /** In place of an empty list. */
  readonly empty: string
  /** Another person saved it in the meantime; said of any noun where it is left out. */
  readonly changedTitle?: string
}

/** Texts of a noun of which one can be removed. */
export type RemovalTexts = { readonly remove: string; readonly removeTitle: string; readonly removeText: string }

/** Texts that a noun with these operations has. */
export type TextsOf<N extends Noun> = ResourceTexts &
  (N extends { readonly delete: object } | { readonly archive: object } ? RemovalTexts : object)

type Cell<R> = (one: R, frame: Frame) => Html | string | null
/** What `create` returned besides, and the form again, with a sentence above it. */
type Made<N extends Noun> = { readonly meta: MetaOf<N['create']>; readonly formWith: (why: string) => Screen }

/** What is shown of something, under the text of its key; null: nothing. A column that shows figures says so. */
type Shown<R, T> = { readonly [K in Label<T>]?: Cell<R> | { readonly figure: Cell<R> } }

/** A list below the page of one, as `groups` have members. */
type Below<R> = {
  readonly operation: ListOperation
  readonly query?: (query: Frame['query']) => Readonly<Record<string, string | undefined>>
  readonly show: (frame: Frame, one: R, page: Page<never>) => Html
}

/** One page of a list. */
export type Page<R> = {
  readonly data: readonly R[]
  readonly links: Readonly<Record<string, string>>
  readonly meta: JsonObject
}

/** A noun of the console, as a description. */
export type Resource<N extends Noun, T extends ResourceTexts> = {
  readonly noun: N
  readonly place: MenuPlace
  /** Path of the list; that of one is below it. */
  readonly path: `/console/${string}`
  readonly texts: Readonly<Record<Language, T>>
  /** The way to the list, where it is below another one. */
  readonly under?: (frame: Frame) => NonNullable<Screen['crumbs']>
  /** In English, as in `a group` and `the groups of people`. */
  readonly called: { readonly one: string; readonly many: string }
  /**
   * What one is called: the text that heads the column, the name, what stands below it in the list, and a shorter one.
   */
  readonly name: {
    readonly label: Label<T>
    readonly of: (one: RowOf<N>, frame: Frame) => string
    readonly short?: (one: RowOf<N>, frame: Frame) => string
    /** The column can be sorted: by `sort`, or by the order of this name. */
    readonly isSorted?: true | string
    readonly below?: (one: RowOf<N>, frame: Frame) => Html | null
  }
  /** The id of the one that it belongs to: a row stands below that one, where both are on the page. */
  readonly parentOf?: (one: RowOf<N>) => string
  /** `id` by default. */
  readonly idOf?: (one: RowOf<N>) => string
  /** The columns behind that of the name; where they show what the list does not tell, read beside it. */
  readonly columns: Shown<RowOf<N>, T> | ((frame: Frame) => Promise<Shown<RowOf<N>, T>>)
  /** The list shows all that there is to see of one: a column has the way to remove it. */
  readonly hasNoPage?: true
  readonly sort?: string
  /** The orders of the list, where there are others than `sort`. */
  readonly sorts?: readonly string[]
  /**
   * The text of a search by name; the list of the API has `search[name]` then. `notYet`: a page without rows that
   * others follow.
   */
  readonly search?: { readonly label: Label<T>; readonly empty: Label<T>; readonly notYet?: Label<T> }
  /** Filters besides, by their member of the address: each is `filter[name]` of the API. */
  readonly filters?: Readonly<Record<string, { readonly label: Label<T>; readonly choices: Choices }>>
  /** Filters without a field, by their member of the address, which stays: what `filter[name]` of the API is then. */
  readonly narrowed?: Readonly<Record<string, (value: string) => string>>
  /** Behind the button of the filters. */
  readonly behind?: (frame: Frame) => Html
  /** Above the list. */
  readonly above?: (frame: Frame) => Html | null | Promise<Html | null>
  /** Ways from the list to what belongs to it. */
  readonly ways?: (frame: Frame) => Html
  /** When one is needed, which completes the sentence in place of an empty list, and other ways to it. */
  readonly needed?: (frame: Frame) => { readonly reasons: readonly string[]; readonly ways: Html }
  /** Ways to a new one in place of the button, where the list is empty. */
  readonly starts?: (frame: Frame) => Html
  /** Below what stands in place of an empty list. */
  readonly whenEmpty?: (frame: Frame) => Html
  /** Above what is known of one. */
  readonly notice?: (one: ReplyOf<N['get']>, frame: Frame) => Html | null
  readonly facts: Shown<ReplyOf<N['get']>, T>
  readonly panels?: readonly ((one: ReplyOf<N['get']>, frame: Frame, meta: MetaOf<N['get']>) => Html | null)[]
  readonly below?: Below<ReplyOf<N['get']>>
  /** What stands on the page of one that cannot be changed, or not by this person, in place of facts and panels. */
  readonly fixed?: (
    one: ReplyOf<N['get']>,
    frame: Frame,
    meta: MetaOf<N['get']>,
  ) => Promise<Pick<Screen, 'main' | 'style'>>
  /** One that is like that can be changed; by default each. */
  readonly isChanging?: (one: ReplyOf<N['get']>) => boolean
  /** One whose choices have to be read first is a function, also of what the API returned; null: of something new. */
  readonly form:
    | FormOf<Draft>
    | ((frame: Frame, one: ReplyOf<N['get']> | null, meta: MetaOf<N['get']> | null) => Promise<FormOf<Draft>>)
  /** The form may have files: the largest body in bytes. */
  readonly fileBytesMax?: number
  /** A person who has saved one sees the list next, not its page. */
  readonly isListNext?: true
  /** The form has a screen of its own. */
  readonly isFormApart?: true
  /** What can be done with one, besides. */
  readonly actions?: (one: ReplyOf<N['get']>, frame: Frame) => Html | null
  /** What is told once of something new; its page without it, or where it is null. */
  readonly told?: (frame: Frame, one: ReplyOf<N['create']>, made: Made<N>) => Screen | null
}

/** A resource whose types are those of any noun: what reads it gives it what the API returned. */
export type AnyResource<More = object> = Resource<Noun, ResourceTexts & More>

/** A resource whose form is there. */
export type WithForm = AnyResource & { readonly form: FormOf<Draft> }

/** Reads what the choices of the form need. @param now null: the form is that of something new. */
export async function withForm(
  one: AnyResource,
  frame: Frame,
  now: { readonly found: never; readonly meta: never } | null,
): Promise<WithForm> {
  const { form } = one
  return { ...one, form: typeof form === 'function' ? await form(frame, now?.found ?? null, now?.meta ?? null) : form }
}
