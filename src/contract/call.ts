import type { Static, TSchema } from 'typebox'
import type { Json } from '../crypto/json.ts'
import type { ApiOperation, PathParams } from './api-operation.ts'

/**
 * A value as a caller gives it, maybe as it was typed: whether it is one that the API accepts is for the API to say.
 */
type Given<T> = T extends string
  ? string
  : T extends number
    ? number | string
    : T extends boolean
      ? boolean
      : T extends readonly (infer E)[]
        ? readonly Given<E>[]
        : T extends object
          ? Json extends T[keyof T]
            ? T
            : { readonly [K in keyof T]: Given<T[K]> }
          : T

type Params<P extends string> = string extends P
  ? { readonly params?: Readonly<Record<string, string | undefined>> }
  : keyof PathParams<P> extends never
    ? { readonly params?: undefined }
    : { readonly params: { readonly [K in keyof PathParams<P>]: string } }
type Query<S> = S extends TSchema
  ? { readonly query?: { readonly [K in keyof Static<S>]?: string | undefined } }
  : { readonly query?: undefined }
type Body<S, TS> = S extends TSchema
  ?
      | { readonly body: Given<Static<S>> }
      | (TS extends readonly string[]
          ? { readonly file: { readonly type: TS[number]; readonly content: string } }
          : never)
  : { readonly body?: undefined }

/** The body of an operation as a caller gives it. */
export type GivenBody<O extends ApiOperation> = O['body'] extends TSchema ? Given<Static<O['body']>> : undefined

/** What a caller gives to an operation: the parameters of its path, the query, the body, and headers. */
type Asked<O extends ApiOperation> = Params<O['path']> &
  Query<O['query']> &
  Body<O['body'], O['fileBodies']> & {
    readonly ifMatch?: string
    readonly headers?: Readonly<Record<string, string>>
  }

/** The arguments of a call: its members may be left out where the operation requires none of them. */
export type CallOf<O extends ApiOperation> =
  Record<never, never> extends Asked<O> ? [asked?: Asked<O>] : [asked: Asked<O>]

/** Returns the path of an operation below the base of its group, with its parameters. */
export function pathOf({ path }: Pick<ApiOperation, 'path'>, params: object = {}): string {
  const values = new Map(Object.entries(params))
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values.get(name)))
}

/** Returns the one parameter of the path of an operation, with its name. */
export function oneParam({ path }: Pick<ApiOperation, 'path'>, value: string): Readonly<Record<string, string>> {
  const [, name = 'id'] = /\{(\w+)\}/.exec(path) ?? []
  return { [name]: value }
}
