import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Scope } from '../caller.ts'
import {
  type Method,
  type Route,
  type RouteContext,
  type RouteDefaults,
  type RouteShapes,
  type RouteTraits,
  route,
} from '../http/routes/route.ts'
import type { BoundedRows } from '../store/paged-list.ts'
import { exportList, exportTypes, isExport } from './export-list.ts'
import { type Filters, filtersOf, type ListRequest, listPage, PageMeta, parseListQuery } from './list.ts'

type Optional = TSchema | undefined

/** What the routes of a group share. */
type GroupSpec<B extends string, RS extends Optional, PS extends Optional> = Pick<RouteDefaults, 'group' | 'tag'> &
  Pick<RouteTraits, 'meta' | 'replyHeaders'> & {
    /** Start of the paths. */
    readonly path?: B
    /** One scope, or one for GET and another for the other methods. */
    readonly scope: Scope | null | { readonly read: Scope; readonly write: Scope }
    /** The reply of a route, and the items of a list. */
    readonly reply?: RS
    /** Checks for the parameters of the paths that have some. */
    readonly params?: PS
    /** Refusals of each route, besides its own and `resource.unknown` of the paths with parameters. */
    readonly faults?: RouteDefaults['faults']
  }

type ParamsOf<P extends string, PS extends Optional> = P extends `${string}{${string}` ? PS : undefined
type Stated = Partial<Omit<RouteDefaults, 'group' | 'tag'>> & RouteTraits

/**
 * Declares a route of the group: see `route`. What it states replaces what the group states, except that `faults` are added. Its status is
 * 200 by default, and 204 with `reply: undefined`.
 */
type Declare<B extends string, GR extends Optional, PS extends Optional> = <
  const P extends string,
  QS extends Optional = undefined,
  BS extends Optional = undefined,
  RS extends Optional = GR,
  const TS extends readonly string[] | undefined = undefined,
>(
  path: P,
  spec: Stated & RouteShapes<`${B}${P}`, ParamsOf<`${B}${P}`, PS>, QS, BS, RS, TS>,
) => Route

/** Declares the route of a list: GET, paged, each row shown as `reply`; also as CSV and JSON lines. */
type DeclareList<B extends string, GR extends Optional, PS extends Optional> = <
  const P extends string,
  QS extends TObject,
  Row extends { readonly id: string },
  RS extends Optional = GR,
>(
  path: P,
  spec: Stated & {
    /** Made by `listQuery`. */
    readonly query: QS
    readonly reply?: RS
    /** Reads a page of rows, and one row more if there is a next page. */
    readonly read: (
      context: ContextOf<`${B}${P}`, PS>,
      list: ListRequest,
      filters: Filters<Static<QS>>,
    ) => Promise<readonly Row[] | BoundedRows<Row>>
    readonly show: (row: Row, context: ContextOf<`${B}${P}`, PS>) => Shown<RS> | Promise<Shown<RS>>
  },
) => Route

type ContextOf<P extends string, PS extends Optional> = Parameters<
  RouteShapes<P, ParamsOf<P, PS>, undefined, undefined, undefined, undefined>['handle']
>[0]
type Shown<RS> = RS extends TSchema ? Static<RS> : never

/** The functions that declare the routes of a group, by method. */
type RouteGroup<B extends string, RS extends Optional, PS extends Optional> = Readonly<
  Record<Lowercase<Method>, Declare<B, RS, PS>> & { list: DeclareList<B, RS, PS> }
>

type LooseRoute = Stated & { readonly reply?: Optional; readonly query?: Optional; readonly handle: Route['handle'] }
type LooseList = Stated & {
  readonly reply?: TSchema
  readonly query: TSchema
  readonly read: (
    context: RouteContext,
    list: ListRequest,
    filters: object,
  ) => Promise<readonly { id: string }[] | BoundedRows<{ id: string }>>
  readonly show: (row: { id: string }, context: RouteContext) => unknown
}

/** Makes a group of routes that share what `shared` states, so that each states only what is its own. */
export function routeGroup<
  const B extends string = '',
  RS extends Optional = undefined,
  PS extends Optional = undefined,
>(shared: GroupSpec<B, RS, PS>): RouteGroup<B, RS, PS> {
  const { path: base = '', scope, params, faults = [], ...others } = shared
  const declare = (method: Method) => (path: string, own: LooseRoute) => {
    const fullPath = base + path
    const hasParams = fullPath.includes('{')
    const spec = {
      ...{ ...others, scope: scopeOf(scope, method), ...(hasParams && params !== undefined && { params }), ...own },
      ...{ method, path: fullPath },
      faults: [...(hasParams ? (['resource.unknown'] as const) : []), ...faults, ...(own.faults ?? [])],
    }
    return route({ status: spec.reply === undefined ? 204 : 200, ...spec })
  }
  const get = declare('GET')
  const list = (path: string, { read, show, reply = shared.reply, ...own }: LooseList) =>
    get(path, {
      meta: PageMeta,
      produces: exportTypes,
      replyHeaders: [],
      ...own,
      reply: Type.Array(reply ?? Type.Never()),
      handle: (context) => {
        // The server has validated the query against the schema of a list.
        const { query, href, responseType } = context as RouteContext & { query: Readonly<Record<string, string>> }
        const page = (list: ListRequest) => read(context, list, filtersOf(query))
        const showOne = (row: { id: string }) => show(row, context)
        if (isExport(responseType))
          return exportList(responseType, parseListQuery(query), {
            read: page,
            show: showOne,
            reply: reply ?? Type.Never(),
          })
        return listPage({ query, href }, page, showOne)
      },
    })
  const methods = {
    get,
    post: declare('POST'),
    put: declare('PUT'),
    patch: declare('PATCH'),
    delete: declare('DELETE'),
  }
  // The shapes that type a route at its declaration are those that the server validates.
  return { ...methods, list } as unknown as RouteGroup<B, RS, PS>
}

function scopeOf(scope: GroupSpec<string, undefined, undefined>['scope'], method: Method): Scope | null {
  if (typeof scope !== 'object' || scope === null) return scope
  return method === 'GET' ? scope.read : scope.write
}
