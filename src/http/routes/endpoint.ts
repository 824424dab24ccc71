import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { FaultCode } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { Method, PathParams } from './route.ts'

/**
 * What an endpoint reads: nothing; a form (each parameter once, RFC 6749 3.2); JSON; a form or JSON; JSON or a compact JWT as
 * `application/jwt` (encrypted requests); or a compact JWT or form (`direct_post.jwt` arrives as a form already, so use `form` there).
 */
export type EndpointBodyKind = 'none' | 'form' | 'json' | 'form-or-json' | 'json-or-jwt'

/** The body as the edge leaves it when the endpoint names no schema. */
export type BodyOf<T extends EndpointBodyKind> = T extends 'none'
  ? undefined
  : T extends 'form'
    ? Readonly<Record<string, string>>
    : unknown

/** The answer of an endpoint, byte for byte as the protocol wants it. An object is sent as JSON. */
export type EndpointResponse = {
  readonly status: number
  /** Media type; `application/json` if the body is an object. */
  readonly type?: string
  readonly body?: object | string | Buffer | Readable
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

/** What the handle of an endpoint is given. Each query member appears once; unknown ones are kept for the handle to ignore. */
export type EndpointContext<Params = Readonly<Record<string, string>>, Body = unknown> = {
  readonly platform: Platform
  readonly params: Params
  readonly query: Readonly<Record<string, string | undefined>>
  readonly body: Body
  readonly headers: IncomingHttpHeaders
  readonly method: string
  /** Path and query as they came, undecoded. Never log it: it may carry codes. */
  readonly url: string
  readonly ip: string
  readonly requestId: string
}

type Common = {
  readonly method: Method
  /** One sentence for the reference. */
  readonly summary: string
  /** Heading in the reference, e.g. `OpenID4VCI`. */
  readonly tag: string
  readonly accepts: EndpointBodyKind
  /** Any web page may read it (`Access-Control-Allow-Origin: *`). Public GET resources only, never pages with a session. [SEC-75] */
  readonly crossOrigin?: true
  /** Faults leave as a short HTML page instead of OAuth JSON: for pages that people open. */
  readonly faultsAs?: 'page'
  /** A request without a bearer token is refused before its body is read. Whether the token is good is for the handle to find out. */
  readonly needsToken?: true
  /** What a request is refused with that cannot be read, where the specification has an error of its own for that. */
  readonly unreadable?: FaultCode
  /** Largest body in bytes; 1 MiB by default. */
  readonly bodyBytesMax?: number
  /** Left out of the reference (console files, redirects). */
  readonly hidden?: true
}

/** An endpoint as the server sees it: plain data. Made by {@link endpoint}. */
export type Endpoint = Common & {
  readonly path: string
  readonly body?: TSchema
  handle(ask: EndpointContext): Promise<EndpointResponse> | EndpointResponse
}

/**
 * Declares one operation of the protocol surface, for wallets, verifiers and browsers. Loose: unknown members are ignored, as the
 * specs demand. Faults leave as `{error, error_description}` with the OAuth column of the fault table. POST answers are not stored by caches.
 */
export function endpoint<
  const P extends string,
  const T extends EndpointBodyKind,
  BS extends TSchema | undefined = undefined,
>(
  spec: Common & {
    /** From the root of PUBLIC_URL, e.g. `/issuers/{tenant}/token`; `{rest*}` at the end takes all that is left. */
    readonly path: P
    readonly accepts: T
    /** A loose schema; a body that does not fit is `request.invalid`. Not applied to a compact JWT. */
    readonly body?: BS
    readonly handle: (
      ask: EndpointContext<PathParams<P>, BS extends TSchema ? Static<BS> : BodyOf<T>>,
    ) => Promise<EndpointResponse> | EndpointResponse
  },
): Endpoint {
  // The server has checked the body against the very schema that typed the handle.
  return spec as unknown as Endpoint
}
