import { type TArray, type TObject, type TSchema, Type } from 'typebox'
import type { Scope } from '../caller.ts'
import type {
  ApiOperation,
  Method,
  OperationDefaults,
  OperationShapes,
  OperationTraits,
  OptionalSchema,
} from './api-operation.ts'
import { exportTypes, PageMeta } from './list-query.ts'

/** What the operations of a noun share. */
type GroupSpec<
  B extends string,
  RS extends OptionalSchema,
  PS extends OptionalSchema,
  MS extends OptionalSchema,
> = Pick<OperationDefaults, 'group' | 'tag'> &
  Pick<OperationTraits, 'replyHeaders'> & {
    /** Start of the paths. */
    readonly path?: B
    /** One scope, or one for GET and another for the other methods. */
    readonly scope: Scope | null | { readonly read: Scope; readonly write: Scope }
    /** The reply of an operation, and the items of a list. */
    readonly reply?: RS
    /** Checks for the parameters of the paths that have some. */
    readonly params?: PS
    /** The `meta` of an operation that is no list. */
    readonly meta?: MS
    /** Refusals of each operation, besides its own and `resource.unknown` of the paths with parameters. */
    readonly faults?: OperationDefaults['faults']
  }

type ParamsIn<P extends string, PS extends OptionalSchema> = P extends `${string}{${string}` ? PS : undefined

type Stated = Partial<Omit<OperationDefaults, 'group' | 'tag'>> & OperationTraits

/**
 * Declares an operation of the noun. What it states replaces what the noun states, except that `faults` are added. Its
 * status is 200 by default, and 204 with `reply: undefined`.
 */
type Declare<B extends string, GR extends OptionalSchema, PS extends OptionalSchema, GM extends OptionalSchema> = <
  const P extends string,
  QS extends OptionalSchema = undefined,
  BS extends OptionalSchema = undefined,
  RS extends OptionalSchema = GR,
  const TS extends readonly string[] | undefined = undefined,
  MS extends OptionalSchema = GM,
>(
  path: P,
  spec: Stated & Omit<OperationShapes<undefined, QS, BS, RS, TS, MS>, 'params'>,
) => ApiOperation<`${B}${P}`, ParamsIn<`${B}${P}`, PS>, QS, BS, RS, TS, MS>

/** Declares a list: GET, paged, each row as `reply`; also as CSV and JSON lines. */
type DeclareList<B extends string, GR extends OptionalSchema, PS extends OptionalSchema> = <
  const P extends string,
  QS extends TObject,
  RS extends OptionalSchema = GR,
>(
  path: P,
  spec: Stated & {
    /** Made by `listQuery`. */
    readonly query: QS
    readonly reply?: RS
  },
) => ListOperation<`${B}${P}`, ParamsIn<`${B}${P}`, PS>, QS, RS extends TSchema ? RS : never>

/** A list of our API. */
export type ListOperation<
  P extends string = string,
  PS extends OptionalSchema = OptionalSchema,
  QS extends TObject = TObject,
  RS extends TSchema = TSchema,
> = ApiOperation<P, PS, QS, undefined, TArray<RS>, undefined, typeof PageMeta>

/** The functions that declare the operations of a noun, by method. */
type OperationGroup<
  B extends string,
  RS extends OptionalSchema,
  PS extends OptionalSchema,
  MS extends OptionalSchema,
> = Readonly<Record<Lowercase<Method>, Declare<B, RS, PS, MS>> & { list: DeclareList<B, RS, PS> }>

type LooseSpec = Stated &
  OperationShapes<undefined, OptionalSchema, OptionalSchema, OptionalSchema, readonly string[], OptionalSchema>

function scopeOf(scope: GroupSpec<string, undefined, undefined, undefined>['scope'], method: Method): Scope | null {
  if (typeof scope !== 'object' || scope === null) return scope
  return method === 'GET' ? scope.read : scope.write
}

/** Returns what declares the operations of a noun, so that each states only what is its own. */
export function operationGroup<
  const B extends string = '',
  RS extends OptionalSchema = undefined,
  PS extends OptionalSchema = undefined,
  MS extends OptionalSchema = undefined,
>(shared: GroupSpec<B, RS, PS, MS>): OperationGroup<B, RS, PS, MS> {
  const { path: base = '', scope, params, faults = [], ...others } = shared
  const declare = (method: Method) => (path: string, own: LooseSpec) => {
    const fullPath = base + path
    const hasParams = fullPath.includes('{')
    const spec = {
      ...others,
      scope: scopeOf(scope, method),
      ...(hasParams && params !== undefined && { params }),
      ...own,
      method,
      path: fullPath,
      faults: [...(hasParams ? (['resource.unknown'] as const) : []), ...faults, ...(own.faults ?? [])],
    }
    return { status: spec.reply === undefined ? 204 : 200, ...spec }
  }
  const get = declare('GET')
  const list = (path: string, { reply = shared.reply, ...own }: LooseSpec) => {
    const rows = Type.Array(reply ?? Type.Never())
    return get(path, { meta: PageMeta, produces: exportTypes, replyHeaders: [], ...own, reply: rows })
  }
  const methods = {
    get,
    post: declare('POST'),
    put: declare('PUT'),
    patch: declare('PATCH'),
    delete: declare('DELETE'),
  }
  // The shapes that type an operation are those that it was declared with.
  return { ...methods, list } as unknown as OperationGroup<B, RS, PS, MS>
}
