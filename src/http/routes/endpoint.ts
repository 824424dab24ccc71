import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { Caller } from '../../caller.ts'
import type { Method, PathParams } from '../../contract/api-operation.ts'
import type { FaultCode } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { RenderFault } from './page.ts'

/**
 * The body that an endpoint accepts: none; a form (each parameter once, RFC 6749 3.2); JSON; a form or JSON; JSON or a
 * compact JWT as `application/jwt` (encrypted requests). `direct_post.jwt` is a form. `fields` is the form of a page,
 * whose members may repeat; `upload` is such a form, or one with files.
 */
export type EndpointBodyKind = 'none' | 'form' | 'fields' | 'upload' | 'json' | 'form-or-json' | 'json-or-jwt'

/** The members of a page's form in order, each with all its values. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** A file in the form of a page, as the browser names it. */
export type UploadedFile = { readonly name: string; readonly bytes: Buffer }

/** The form of a page with its files, by the names of their members. */
export class Upload extends Map<string, readonly string[]> {
  readonly files = new Map<string, UploadedFile>()
}

/** Type of the body when the endpoint has no schema. */
type BodyOf<T extends EndpointBodyKind> = T extends 'none'
  ? undefined
  : T extends 'form'
    ? Readonly<Record<string, string>>
    : T extends 'fields' | 'upload'
      ? Fields
      : unknown

/** The response of an endpoint. An object is sent as JSON, anything else unchanged. */
export type EndpointResponse = {
  readonly status: number
  /** Media type; `application/json` if the body is an object. */
  readonly type?: string
  readonly body?: object | string | Buffer | Readable
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

/** The request as an endpoint gets it. Each query parameter appears once; unknown ones are kept. */
export type EndpointContext<Params = Readonly<Record<string, string>>, Body = unknown> = {
  readonly platform: Platform
  readonly params: Params
  readonly query: Readonly<Record<string, string | undefined>>
  readonly body: Body
  readonly headers: IncomingHttpHeaders
  readonly method: string
  /** Path and query, undecoded. Never log it: it may carry codes. */
  readonly url: string
  readonly ip: string
  readonly requestId: string
  /** Authenticates the request as a caller of our API. @throws Fault `token.missing`, `token.invalid` */
  readonly authenticate: () => Promise<Caller>
  /** What `callerOf` of the endpoint returned; null: it has none. */
  readonly caller: Caller | null
}

/** One reply of an endpoint, for the reference: its schemas by media type; null: a text or bytes. */
export type EndpointReply = {
  readonly description?: string
  readonly types?: Readonly<Record<string, TSchema | null>>
}

type Common = {
  readonly method: Method
  /** Verb and noun, unique; made from method and path by default. For the reference. */
  readonly operationId?: string
  /** Replies by status, besides errors. For the reference. */
  readonly replies?: Readonly<Record<number, EndpointReply>>
  /** One sentence for the reference. */
  readonly summary: string
  /** Heading in the reference, e.g. `OpenID4VCI`. */
  readonly tag: string
  readonly accepts: EndpointBodyKind
  /**
   * Sends `Access-Control-Allow-Origin: *`, and answers preflights so. Public resources, and what wallets and other
   * strangers post without a session; never pages with a session, and nothing that reads a cookie. [SEC-75]
   */
  readonly crossOrigin?: true
  /**
   * Pages of applications that are public clients may call it, or of the origins that the owner of the path lists. They
   * send an access token, the code of a sign-in or the secret of a visitor, never a cookie. [SEC-75]
   */
  readonly clientOrigins?: true
  /**
   * Faults are sent as an HTML page, for pages that people open, or as SCIM errors, instead of as OAuth JSON. A
   * function renders the page.
   */
  readonly faultsAs?: 'page' | 'scim' | RenderFault
  /**
   * A request without an access token is refused before its body is read. The endpoint verifies the token, and its
   * binding to a key.
   */
  readonly needsToken?: true
  /** Authenticates the caller, and checks its scope, before the body is read. */
  readonly callerOf?: (
    request: Pick<EndpointContext, 'platform' | 'headers' | 'ip' | 'requestId' | 'authenticate'>,
  ) => Promise<Caller>
  /** Answers a request before its body is read, for large bodies; null: read it. */
  readonly admit?: (
    request: Pick<EndpointContext, 'platform' | 'headers' | 'url' | 'ip'>,
  ) => Promise<EndpointResponse | null>
  /** The fault of a request that cannot be parsed, where the specification defines an error for it. */
  readonly unreadable?: FaultCode
  /** Largest body in bytes; 1 MiB by default. */
  readonly bodyBytesMax?: number
  /** Schema of the body for the reference only, where the use case validates the body with errors of its own. */
  readonly describedBody?: TSchema
  /** Whether `If-Match` is honoured: the resource must not have changed since it was read. For the API reference. */
  readonly ifMatch?: true
  /** Left out of the reference (console files, redirects). */
  readonly hidden?: true
}

/** An endpoint as plain data. Made by {@link endpoint}. */
export type Endpoint = Common & {
  readonly path: string
  readonly body?: TSchema
  handle(context: EndpointContext): Promise<EndpointResponse> | EndpointResponse
}

/**
 * Declares one operation of the protocol surface, for wallets, verifiers and browsers. Unknown members are ignored, as
 * the specifications require. Faults are sent as `{error, error_description}` with the OAuth column of the fault table.
 * Responses to POST are not cached.
 */
export function endpoint<
  const P extends string,
  const T extends EndpointBodyKind,
  BS extends TSchema | undefined = undefined,
>(
  spec: Common & {
    /**
     * From the root of PUBLIC_URL, e.g. `/issuers/{tenant}/token`; `{rest*}` at the end matches the rest of the path.
     */
    readonly path: P
    readonly accepts: T
    /** A loose schema; a body that does not fit is `request.invalid`. Not applied to a compact JWT. */
    readonly body?: BS
    readonly handle: (
      context: EndpointContext<PathParams<P>, BS extends TSchema ? Static<BS> : BodyOf<T>>,
    ) => Promise<EndpointResponse> | EndpointResponse
  },
): Endpoint {
  // The server validates the body against the schema that types `handle`.
  return spec as unknown as Endpoint
}
