import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Caller } from '../../caller.ts'
import type { ApiOperation, BodyOf, ParamsOf, QueryOf, ReplyOf } from '../../contract/api-operation.ts'
import type { Violation } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { Operation } from './operation.ts'

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

/**
 * An answer in another media type than JSON (PEM, event stream), sent unchanged. The operation must list the type in
 * `produces`.
 */
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

/** A body in one of the media types of `fileBodies`, as it came. */
export class FileBody {
  readonly type: string
  /** Of a text: what its Content-Type names, by default UTF-8. Null for other types. */
  readonly charset: Charset | null
  readonly bytes: Uint8Array

  constructor(type: string, charset: Charset | null, bytes: Uint8Array) {
    this.type = type
    this.charset = charset
    this.bytes = bytes
  }
}

/** Encodings of a text that are read, as the WHATWG names them. */
export const charsets = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const
/** One of {@link charsets}. */
export type Charset = (typeof charsets)[number]

/** What a request is checked for beside the shapes of the operation, before `handle` does. */
type RouteChecks<Body> = {
  /** Adds to the violations of a body that its schema refuses those that `handle` would find. */
  readonly moreViolations?: (body: unknown) => readonly Violation[]
  /**
   * Returns the violations that `handle` would find in the members of a body which its schema accepts, while it refuses
   * others: those that hold whatever the others are. They are answered together.
   */
  rules?(accepted: Partial<Body>, config: Platform['config']): readonly Violation[]
}

/** An operation with its work. Made by {@link serve}. */
export type Route = ApiOperation &
  RouteChecks<object> & {
    handle(context: RouteContext): Promise<Answer | RawAnswer> | Answer | RawAnswer
  }

type File<T> = T extends readonly string[] ? FileBody : never

/** The request of an operation. */
export type ContextOf<O extends ApiOperation> = RouteContext<ParamsOf<O>, QueryOf<O>, BodyOf<O> | File<O['fileBodies']>>

/** Gives an operation its work. The server validates parameters, query and body by the schemas that type `handle`. */
export function serve<O extends ApiOperation>(
  operation: O,
  handle: (context: ContextOf<O>) => Promise<Answer<ReplyOf<O>> | RawAnswer> | Answer<ReplyOf<O>> | RawAnswer,
  checks: RouteChecks<BodyOf<O>> = {},
): Route {
  // The context that the server makes is that of the schemas.
  return { ...operation, ...checks, handle } as unknown as Route
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
