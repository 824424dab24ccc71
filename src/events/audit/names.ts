import type { Scope } from '../../caller.ts'
import type { SubjectKind } from '../../contract/events/vocabulary.ts'
import { type Sql, sql, type TenantTx } from '../../store/store.ts'
import { isUuid } from '../../uuid.ts'
import type { Detail } from './entry.ts'
/** How a room names the objects that events and audit entries refer to. */
export type NameSource = {
  /** A caller without it is shown no names of these; undefined: every caller is. */
  readonly scope?: Scope
  /**
   * SELECT of (kind, id, name), the kind one of `SubjectKind` and the id as text, of objects of tenant $1 whose id is
   * among $2::uuid[] or, of clients, $3::text[].
   */
  readonly select: string
}

/** Ids of objects that may have a name. The kind of an id in a detail is not known. */
type NamedId = { readonly kind: string | null; readonly id: string }

/** Names of objects. */
export type Names = {
  /** The name of an object; null: it is gone, has none, or may not be shown to the caller. */
  readonly of: (kind: string | null, id: string | null) => string | null
}

/** Finds the names of objects, in one statement for all of them. `holds`: whether the caller has a scope. */
export type FindNames = (tx: TenantTx, ids: readonly NamedId[], holds: (scope: Scope) => boolean) => Promise<Names>

type Row = { readonly kind: SubjectKind; readonly id: string; readonly name: string }

/** Returns what finds names by these sources. @param sources At most one of them has a scope. */
export function nameFinder(sources: readonly NameSource[]): FindNames {
  const statement = (name: string, some: readonly NameSource[]): Sql =>
    sql(`events.${name}`, some.map(({ select }) => select).join('\nunion all\n'))
  const forAll = statement(
    'list_public_names',
    sources.filter(({ scope }) => scope === undefined),
  )
  const forSome = statement('list_names', sources)
  return async (tx, ids, holds) => {
    const found = [...new Set(ids.map(({ id }) => id))]
    if (found.length === 0) return { of: () => null }
    const isFull = sources.every(({ scope }) => scope === undefined || holds(scope))
    const values = [tx.tenantId, found.filter(isUuid), found]
    return namesIn(await tx.rows<Row>(isFull ? forSome : forAll, values))
  }
}

function namesIn(rows: readonly Row[]): Names {
  const known = new Map(rows.map(({ kind, id, name }) => [`${kind} ${id}`, name]))
  // The ids of clients are chosen by people, so they name nothing where a client is not meant.
  const others = new Map(rows.filter(({ kind }) => kind !== 'client').map(({ id, name }) => [id, name]))
  return {
    of: (kind, id) => {
      if (id === null) return null
      return (kind === null ? others.get(id) : known.get(`${kind} ${id}`)) ?? null
    },
  }
}

/** Returns the ids in a detail that may have names: UUIDs, and ids of clients. */
export function idsInDetail(detail: Detail): NamedId[] {
  return Object.entries(detail).flatMap(([member, value]) => {
    const texts = Array.isArray(value) ? value : [value]
    const kind = /clientId$/i.test(member) ? 'client' : null
    return texts.flatMap((id: unknown) =>
      typeof id === 'string' && (kind === 'client' || isUuid(id)) ? [{ kind, id }] : [],
    )
  })
}

/** Returns the names of ids by the ids; undefined: there are none. */
export function namedIn(names: Names, ids: readonly NamedId[]): Record<string, string> | undefined {
  const found = ids.flatMap(({ kind, id }) => {
    const name = names.of(kind, id)
    return name === null ? [] : [[id, name] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}
