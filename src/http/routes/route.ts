import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { Caller, Scope } from '../../caller.ts'
import type { FaultCode, Violation } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { Operation } from './operation.ts'

/** The three groups of our API; each has its own base URL (`/wallet`, `/creds`, `/onboarding` by default). */
export type Group = 'wallet' | 'creds' | 'onboarding'
/** Methods that a route or an endpoint may have. HEAD follows GET by itself. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The `{names}` of a path; `{rest*}` at the end matches the rest of the path. All are percent-decoded once. */
export type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in (Name extends `${infer Plain}*` ? Plain : Name) | keyof PathParams<Rest>]: string }
  : Readonly<Record<never, string>>

/** The answer of a route; the server sends it in the envelope `{data, links, meta}`. */
export type Answer<T = unknown> = {
  readonly kind: 'answer'
  readonly data: T
  readonly links?: Readonly<Record<string, string>>
  readonly meta?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the route's own status. */
  readonly status?: number
}

/** An answer in another media type than JSON (PEM, event stream), sent unchanged. The route must list the type in `produces`. */
export type RawAnswer = {
  readonly kind: 'raw'
  readonly type: string
  readonly body: string | Buffer | Readable
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
}

/** The request as a route gets it. Params, query and body are validated; unknown members were refused. */
export type RouteContext<Params = Readonly<Record<string, string>>, Query = unknown, Body = unknown> = {
  readonly platform: Platform
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly headers: IncomingHttpHeaders
  /** Public URL of the request without its query; list links start with it. */
  readonly href: string
  /** The negotiated media type: `application/json` or one of the route's `produces`. */
  readonly responseType: string
  /** Source of the ids of what the request creates: see `once`. */
  readonly operation: Operation
}

/** A body in one of the media types of `textBodies`, unparsed. */
export class TextBody {
  readonly type: string
  readonly text: string

  constructor(type: string, text: string) {
    this.type = type
    this.text = text
  }
}

/** What a route may take from its group. */
export type RouteDefaults = {
  readonly group: Group
  /** The scope that the caller must hold; null: every caller with a valid token. */
  readonly scope: Scope | null
  readonly status: number
  /** Refusals beyond those that every route has (401, 403, 404, 405, 406, 413, 415, 500, validation). */
  readonly faults: readonly FaultCode[]
  /** Heading in the API reference; the title of the group by default. */
  readonly tag?: string
}

/** What a route states itself, without its shapes. */
export type RouteTraits = {
  /** One sentence for the API reference. */
  readonly summary: string
  /** Verb and noun, unique in the API; made from method and reply by default. For the API reference. */
  readonly operationId?: string
  /** The members of `meta`, for the API reference; none by default. */
  readonly meta?: TSchema
  /** Headers of the answer that not every answer has. For the API reference. */
  readonly replyHeaders?: readonly ('ETag' | 'Location')[]
  /** Statuses of other successes, with the same shape. For the API reference. */
  readonly otherStatuses?: readonly number[]
  /** The data of an event, where the answer may be an event stream. For the API reference. */
  readonly streams?: TSchema
  /** The answer is sent without the envelope. */
  readonly noEnvelope?: true
  /** Whether the answer supports conditional requests and long polling: see `heldAnswer`. For the API reference. */
  readonly longPoll?: true
  /** Whether `If-Match` is honoured: the resource must not have changed since it was read. For the API reference. */
  readonly ifMatch?: true
  /** Media types besides `application/json` that the answer may have. */
  readonly produces?: readonly string[]
  /** Media types besides `application/json` that the body may have. It is then a {@link TextBody}, of which only the encoding is checked. */
  readonly textBodies?: readonly string[]
  /** By media type: an example of a text that the body or the answer is, for the document; lists and streams have one from their schema. */
  readonly textExamples?: Readonly<Record<string, string>>
  /** Largest body in bytes; 1 MiB by default. */
  readonly bodyBytesMax?: number
  /** Maximum number of values in a JSON body; 20,000 by default. */
  readonly jsonValuesMax?: number
  /** Adds to the violations of a body that its schema refuses those that `handle` would find. */
  readonly moreViolations?: (body: unknown) => readonly Violation[]
}

type Common = RouteDefaults & RouteTraits & { readonly method: Method }

/** A route as plain data. Made by {@link route}. */
export type Route = Common & {
  readonly path: string
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  readonly reply?: TSchema
  rules?(accepted: object, config: Platform['config']): readonly Violation[]
  handle(context: RouteContext): Promise<Answer | RawAnswer> | Answer | RawAnswer
}

type Read<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise
type Text<T> = T extends readonly string[] ? TextBody : never
type Written<R> = Answer<Read<R, undefined>> | RawAnswer
type Optional = TSchema | undefined
type Accepted<S> = S extends TSchema ? Partial<Static<S>> : never

/** The shapes of a route, and its work, typed by them. */
export type RouteShapes<
  P extends string,
  PS extends Optional,
  QS extends Optional,
  BS extends Optional,
  RS extends Optional,
  TS extends readonly string[] | undefined,
> = {
  readonly query?: QS
  readonly body?: BS
  readonly reply?: RS
  readonly textBodies?: TS
  /**
   * Returns the violations that `handle` would find in the members of a body which its schema accepts, while it refuses
   * others: those that hold whatever the others are. They are answered together.
   */
  readonly rules?: (accepted: Accepted<BS>, config: Platform['config']) => readonly Violation[]
  readonly handle: (
    context: RouteContext<
      Read<PS, PathParams<P>>,
      Read<QS, Readonly<Record<never, string>>>,
      Read<BS, undefined> | Text<TS>
    >,
  ) => Promise<Written<RS>> | Written<RS>
}

/**
 * Declares one operation of our API. Unknown members of body and query are refused, and members that the reply schema lacks are not sent.
 * Without `body` a request may send none, or an empty object. Without `query` every query parameter is refused. Without `reply` the answer
 * has no body (204).
 */
export function route<
  const P extends string,
  PS extends Optional = undefined,
  QS extends Optional = undefined,
  BS extends Optional = undefined,
  RS extends Optional = undefined,
  const TS extends readonly string[] | undefined = undefined,
>(
  spec: Common & {
    /** Relative to the group's base, `{name}` for a parameter. */
    readonly path: P
    /** Checks for the path parameters; they are free strings otherwise. */
    readonly params?: PS
  } & RouteShapes<P, PS, QS, BS, RS, TS>,
): Route {
  // The server validates params, query and body against the schemas that type `handle`.
  return spec as unknown as Route
}

/** Returns an answer in the envelope. `status` overrides the status of the route. */
export function answer<T>(data: T, more: Omit<Answer, 'kind' | 'data'> = {}): Answer<T> {
  return { kind: 'answer', data, ...more }
}

/** Returns an answer in one of the media types of `produces`, sent unchanged. */
export function rawAnswer(
  type: string,
  body: string | Buffer | Readable,
  more: Omit<RawAnswer, 'kind' | 'type' | 'body'> = {},
): RawAnswer {
  return { kind: 'raw', type, body, ...more }
}
