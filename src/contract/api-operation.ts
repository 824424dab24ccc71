import type { Static, TSchema } from 'typebox'
import type { Scope } from '../caller.ts'
import type { FaultCode } from '../fault.ts'

/** The three groups of our API; each has its own base URL (`/wallet`, `/creds`, `/onboarding` by default). */
export type Group = 'wallet' | 'creds' | 'onboarding'
/** Methods that an operation or an endpoint may have. HEAD follows GET by itself. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** A schema that an operation may lack. */
export type OptionalSchema = TSchema | undefined

/** The `{names}` of a path; `{rest*}` at the end matches the rest of the path. All are percent-decoded once. */
export type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in (Name extends `${infer Plain}*` ? Plain : Name) | keyof PathParams<Rest>]: string }
  : Readonly<Record<never, string>>

/** What operations of a noun may share. */
export type OperationDefaults = {
  readonly group: Group
  /** The scope that the caller must hold; null: every caller with a valid token. */
  readonly scope: Scope | null
  readonly status: number
  /** Refusals beyond those that every operation has (401, 403, 404, 405, 406, 413, 415, 500, validation). */
  readonly faults: readonly FaultCode[]
  /** Heading in the API reference; the title of the group by default. */
  readonly tag?: string
}

/** What an operation states itself, without its shapes. */
export type OperationTraits = {
  /** One sentence for the API reference. */
  readonly summary: string
  /** Verb and noun, unique in the API; made from method and reply by default. For the API reference. */
  readonly operationId?: string
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
  /**
   * By media type: an example of a text that the body or the answer is, for the document; lists and streams have one
   * from their schema.
   */
  readonly textExamples?: Readonly<Record<string, string>>
  /** Largest body in bytes; 1 MiB by default. */
  readonly bodyBytesMax?: number
  /** Maximum number of values in a JSON body; 20,000 by default. */
  readonly jsonValuesMax?: number
}

/** The shapes with which an operation is declared. */
export type OperationShapes<
  PS extends OptionalSchema,
  QS extends OptionalSchema,
  BS extends OptionalSchema,
  RS extends OptionalSchema,
  TS extends readonly string[] | undefined,
  MS extends OptionalSchema,
> = {
  /** Checks for the parameters of the path; they are free strings otherwise. */
  readonly params?: PS
  /** Without it every query parameter is refused. */
  readonly query?: QS
  /** Without it a request may send none, or an empty object. Unknown members are refused. */
  readonly body?: BS
  /** Without it the answer has no body (204). Members that it lacks are not sent. */
  readonly reply?: RS
  /**
   * Media types besides `application/json` that the body may have; it is then a file, which arrives as its bytes, of
   * which nothing but the number is checked.
   */
  readonly fileBodies?: TS
  /** The members of `meta`; none by default. */
  readonly meta?: MS
}

/** One operation of our API, as data. `path` is relative to the base of the group, with `{name}` for a parameter. */
export type ApiOperation<
  P extends string = string,
  PS extends OptionalSchema = OptionalSchema,
  QS extends OptionalSchema = OptionalSchema,
  BS extends OptionalSchema = OptionalSchema,
  RS extends OptionalSchema = OptionalSchema,
  TS extends readonly string[] | undefined = readonly string[] | undefined,
  MS extends OptionalSchema = OptionalSchema,
> = OperationDefaults &
  OperationTraits & {
    readonly method: Method
    readonly path: P
    readonly params: PS
    readonly query: QS
    readonly body: BS
    readonly reply: RS
    readonly fileBodies: TS
    readonly meta: MS
  }

/** What a schema describes, or `Otherwise` where there is none. */
type Shape<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise

/** The parameters of the path of an operation. */
export type ParamsOf<O extends ApiOperation> = Shape<O['params'], PathParams<O['path']>>
/** The query of an operation, as its schema accepts it. */
export type QueryOf<O extends ApiOperation> = Shape<O['query'], Readonly<Record<never, string>>>
/** The JSON body of an operation. */
export type BodyOf<O extends ApiOperation> = Shape<O['body'], undefined>
/** The `data` of the answer of an operation. */
export type ReplyOf<O extends ApiOperation> = Shape<O['reply'], undefined>
/** The `meta` of the answer of an operation. */
export type MetaOf<O extends ApiOperation> = Shape<O['meta'], Readonly<Record<never, never>>>
