import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { Caller, Scope } from '../../caller.ts'
import type { FaultCode } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { Operation } from './operation.ts'

/** The three groups of our API; each has its own base URL (`/wallet`, `/creds`, `/onboarding` by default). */
export type Group = 'wallet' | 'creds' | 'onboarding'
/** Methods that a route or an endpoint may have. HEAD follows GET by itself. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The `{names}` of a path; `{rest*}` at the end takes everything that is left. All are percent-decoded once. */
export type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in (Name extends `${infer Plain}*` ? Plain : Name) | keyof PathParams<Rest>]: string }
  : Readonly<Record<never, string>>

/** What a route answers with: the edge makes the envelope `{data, links, meta}` out of it. */
export type Answer<T = unknown> = {
  readonly kind: 'answer'
  readonly data: T
  readonly links?: Readonly<Record<string, string>>
  readonly meta?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the route's own status. */
  readonly status?: number
}

/** Bytes in another media type than JSON (PEM, event stream); leaves as it is. The type must stand in the route's `produces`. */
export type RawAnswer = {
  readonly kind: 'raw'
  readonly type: string
  readonly body: string | Buffer | Readable
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
}

/** What the handle of a route is given. Params, query and body are checked already; unknown members were refused. */
export type RouteContext<Params = Readonly<Record<string, string>>, Query = unknown, Body = unknown> = {
  readonly platform: Platform
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly headers: IncomingHttpHeaders
  /** Public URL of this very request, without its query; what list links start with. */
  readonly href: string
  /** The negotiated media type: `application/json` or one of the route's `produces`. */
  readonly responseType: string
  /** Whoever makes something takes its id from here: see `once`. */
  readonly operation: Operation
}

/** A body in one of the texts that a route takes besides JSON, as it came. */
export class TextBody {
  readonly type: string
  readonly text: string

  constructor(type: string, text: string) {
    this.type = type
    this.text = text
  }
}

type Common = {
  readonly group: Group
  readonly method: Method
  /** One sentence for the reference. */
  readonly summary: string
  /** The scope that the caller must hold; null: every caller with a valid token. */
  readonly scope: Scope | null
  readonly status: number
  /** Refusals beyond those that every route has (401, 403, 404, 405, 406, 413, 415, 500, validation). */
  readonly faults: readonly FaultCode[]
  /** Leaves without the envelope. */
  readonly noEnvelope?: true
  /** Whether the answer is conditional and may be held: see `heldAnswer`. For the reference. */
  readonly longPoll?: true
  /** Media types besides `application/json` that the answer may have. */
  readonly produces?: readonly string[]
  /** Heading in the reference; the first path segment by default. */
  readonly tag?: string
  /** Media types besides `application/json` that the body may have. It is then handed over as a {@link TextBody}, unchecked but for its UTF-8. */
  readonly textBodies?: readonly string[]
  /** How many values a JSON body may hold, where a list of things needs more than 20,000. */
  readonly jsonValuesMax?: number
}

/** A route as the server sees it: plain data. Made by {@link route}. */
export type Route = Common & {
  readonly path: string
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  readonly reply?: TSchema
  handle(ask: RouteContext): Promise<Answer | RawAnswer> | Answer | RawAnswer
}

type Read<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise
type Text<T> = T extends readonly string[] ? TextBody : never
type Written<R> = Answer<Read<R, undefined>> | RawAnswer

/**
 * Declares one operation of our API. Strict: a body or a query that the schema does not promise is refused, and
 * whatever the reply schema does not promise does not leave. Without `body` a request may send none, or an empty object. Without
 * `query` any query member is refused. Without `reply` the answer has no body (204).
 */
export function route<
  const P extends string,
  PS extends TSchema | undefined = undefined,
  QS extends TSchema | undefined = undefined,
  BS extends TSchema | undefined = undefined,
  RS extends TSchema | undefined = undefined,
  const TS extends readonly string[] | undefined = undefined,
>(
  spec: Common & {
    /** Relative to the group's base, `{name}` for a parameter. */
    readonly path: P
    /** Checks for the path parameters; they are free strings otherwise. */
    readonly params?: PS
    readonly query?: QS
    readonly body?: BS
    readonly reply?: RS
    readonly textBodies?: TS
    readonly handle: (
      ask: RouteContext<
        Read<PS, PathParams<P>>,
        Read<QS, Readonly<Record<never, string>>>,
        Read<BS, undefined> | Text<TS>
      >,
    ) => Promise<Written<RS>> | Written<RS>
  },
): Route {
  // The server has checked params, query and body against the very schemas that typed the handle.
  return spec as unknown as Route
}

/** The ordinary answer of a route. `status` overrides the route's, for the few operations that have two good outcomes. */
export function answer<T>(data: T, more: Omit<Answer, 'kind' | 'data'> = {}): Answer<T> {
  return { kind: 'answer', data, ...more }
}

/** An answer in one of the route's other media types, sent as it is. */
export function rawAnswer(
  type: string,
  body: string | Buffer | Readable,
  more: Omit<RawAnswer, 'kind' | 'type' | 'body'> = {},
): RawAnswer {
  return { kind: 'raw', type, body, ...more }
}
