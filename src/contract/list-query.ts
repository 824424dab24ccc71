import { type TEnum, type TObject, type TOptional, type TSchema, type TString, Type } from 'typebox'
import { UUID_PATTERN } from '../uuid.ts'
import { CSV, NDJSON } from './media-types.ts'
import { orNull } from './shapes.ts'

/** Media types besides JSON in which every list is answered: CSV and JSON lines. */
export const exportTypes = [CSV, NDJSON] as const

/** Rows that a list counts at most. */
export const COUNTED_MAX = 1000

/** Rows on a page, where the request does not say. */
export const SIZE_DEFAULT = 25

/** The `meta` of a list. */
export const PageMeta = Type.Object(
  {
    page: Type.Object(
      {
        size: Type.Integer(),
        after: orNull(Type.String()),
        before: orNull(Type.String()),
        total: Type.Optional(
          Type.Object(
            { count: Type.Integer({ minimum: 0, maximum: COUNTED_MAX }), more: Type.Boolean() },
            {
              description: `With \`page[total]\`: the rows on all pages, of which at most ${COUNTED_MAX.toLocaleString('en')} are counted; \`more\`: there are others. Absent where the list cannot count them.`,
            },
          ),
        ),
      },
      { description: 'The cursors of the next and the previous page.' },
    ),
  },
  { $id: 'PageMeta' },
)

/** The members of a query that say which page of a list. */
export type PageMembers = {
  'page[size]': TOptional<TString>
  'page[after]': TOptional<TString>
  'page[before]': TOptional<TString>
  'page[total]': TOptional<TEnum<['true', 'false']>>
}

type FilterMembers<F extends Record<string, TSchema>> = { [K in keyof F & string as `filter[${K}]`]: TOptional<F[K]> }

type SearchMembers<S extends string> = { [K in S as `search[${K}]`]: TOptional<TString> }

type SortMember<O extends string> = { sort: TOptional<TEnum<(O | `-${O}`)[]>> }

/** The query schema that {@link listQuery} makes. */
type ListQuery<
  F extends Record<string, TSchema>,
  S extends string,
  O extends string,
  M extends Record<string, TSchema>,
> = TObject<PageMembers & FilterMembers<F> & SearchMembers<S> & SortMember<O> & M>

const aboutTimes: Readonly<Record<string, string>> = {
  createdAfter: 'Only those created at this time or later.',
  createdBefore: 'Only those created before this time.',
}

/** The description of a filter that has none of its own: it compares for equality. */
function aboutFilter(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ id$/, '')
  return aboutTimes[name] ?? `Only those with this ${words}.`
}

/**
 * The query schema of a list: paging, `sort`, `filter[x]` and `search[x]`. Filters are schemas over strings (nothing is
 * coerced). `more` is for members without a prefix, e.g. a plain `status`; `aboutSearch` describes searches
 * that do not look for a part of a text.
 */
export function listQuery<
  F extends Record<string, TSchema> = Record<never, TSchema>,
  const S extends string = never,
  const O extends string = 'createdAt',
  M extends Record<string, TSchema> = Record<never, TSchema>,
>(
  has: {
    filters?: F
    searches?: readonly S[]
    aboutSearch?: Partial<Record<S, string>>
    sorts?: readonly O[]
    more?: M
  } = {},
): ListQuery<F, S, O, M> {
  const properties: Record<string, TSchema> = {
    'page[size]': Type.Optional(
      Type.String({
        pattern: '^([1-9][0-9]?|100)$',
        description: 'Rows on a page, 1 to 100; 25 by default. Large rows are fewer: a page ends at about 8 MiB.',
        documentedAs: { type: 'integer', minimum: 1, maximum: 100, default: SIZE_DEFAULT },
      }),
    ),
    'page[after]': Type.Optional(Type.String({ pattern: UUID_PATTERN, description: 'The rows that follow this id.' })),
    'page[before]': Type.Optional(
      Type.String({ pattern: UUID_PATTERN, description: 'The rows that precede this id.' }),
    ),
    'page[total]': Type.Optional(
      Type.Enum(['true', 'false'], {
        description: '`true`: `meta.page.total` says how many rows match, on all pages.',
        documentedAs: { type: 'boolean', default: false },
      }),
    ),
  }
  const sorts: readonly string[] = has.sorts ?? ['createdAt']
  properties.sort = Type.Optional(
    Type.Enum(
      sorts.flatMap((field) => [field, `-${field}`]),
      { description: 'A leading `-` reverses the order; `-createdAt` by default.' },
    ),
  )
  for (const [name, schema] of Object.entries(has.filters ?? {})) {
    properties[`filter[${name}]`] = Type.Optional({ description: aboutFilter(name), ...schema })
  }
  for (const name of has.searches ?? []) {
    const how = name === 'reference' ? 'begins with' : 'contains'
    const description = has.aboutSearch?.[name] ?? `Only those whose ${name} ${how} this.`
    properties[`search[${name}]`] = Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))
  }
  for (const [name, schema] of Object.entries(has.more ?? {})) properties[name] = Type.Optional(schema)
  // The members were built by the rule of the type.
  return Type.Object(properties, { additionalProperties: false }) as unknown as ListQuery<F, S, O, M>
}
