import type { Readable } from 'node:stream'
import type { ApiOperation, Group, MetaOf, ReplyOf } from '../contract/api-operation.ts'
import { type CallOf, pathOf } from '../contract/call.ts'
import { type Json, type JsonObject, parseJsonObject } from '../crypto/json.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { withTimeLimit } from '../time-limit.ts'

/** An answer of our API, out of its envelope. */
type ApiAnswer<T, M = JsonObject> = {
  readonly status: number
  readonly data: T
  readonly meta: M
  /** Addresses of the neighbouring pages of a list. */
  readonly links: Readonly<Record<string, string>>
  readonly etag: string | null
}

/** One finding of a refusal. `pointer` is a JSON pointer into the body. */
type ApiError = {
  readonly id: string
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly pointer: string | null
  readonly requiredScope: string | null
  /** The rule that a value breaks, and what it allows. */
  readonly rule?: string | undefined
  readonly limit?: string | undefined
  /** What else the refusal says. */
  readonly meta?: JsonObject
}

/** The API refused a call. */
export class ApiRefusal extends Error {
  readonly status: number
  readonly errors: readonly ApiError[]

  constructor(status: number, errors: readonly ApiError[]) {
    super(`the API answered ${status}`)
    this.status = status
    this.errors = errors
  }

  /** The id of the log line. */
  get id(): string {
    return this.errors[0]?.id ?? ''
  }
}

/** The public API as a person reaches it. All calls throw {@link ApiRefusal}. */
export type OwnApi = {
  /** Calls an operation. */
  readonly call: <O extends ApiOperation>(
    operation: O,
    ...asked: CallOf<O>
  ) => Promise<ApiAnswer<ReplyOf<O>, MetaOf<O>>>
  /** Returns an answer in another media type than JSON, as text. */
  readonly text: <O extends ApiOperation>(operation: O, type: string, ...asked: CallOf<O>) => Promise<string>
  /** Returns an answer without a bound as the API streams it, in that media type. */
  readonly stream: (operation: ApiOperation, type: string, asked?: LooseCall) => Promise<Readable>
  /** Returns a document that everybody may read, as text. @param path Below the public URL. */
  readonly document: (path: string) => Promise<string>
  /** The address of an operation for callers from outside. */
  readonly addressOf: (operation: ApiOperation, asked?: LooseCall) => string
}

/**
 * A call of an operation, without the types of its shapes. The address has no query members that are undefined or
 * empty.
 */
export type LooseCall = {
  readonly params?: object | undefined
  readonly query?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: unknown
  readonly file?: { readonly type: string; readonly content: string } | undefined
  readonly ifMatch?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const VALUES_MAX = 1_000_000

type Needs = Pick<Platform, 'dispatch' | 'dispatchStream' | 'config'>

/**
 * Returns the API for the holder of a token. Requests are dispatched inside the process, through the same routes as
 * those of the network.
 *
 * @param msMax How long all calls together may take; then they are refused as `upstream.timeout`, which is 504.
 */
export function ownApi(
  needs: Needs,
  { accessToken, ip, msMax }: { accessToken: string; ip: string; msMax: number },
): OwnApi {
  const deadline = performance.now() + msMax
  const inTime = <T>(sent: Promise<T>) =>
    withTimeLimit(sent, Math.max(1, deadline - performance.now()), () => new Fault('upstream.timeout'))
  const ask = (
    operation: ApiOperation,
    { params, query, body, file, ifMatch, headers }: LooseCall,
    accept?: string,
  ) => {
    const { host, pathname } = new URL(baseOf(needs.config, operation.group))
    const content = file?.content ?? (body === undefined ? undefined : JSON.stringify(body))
    const sent = {
      ...headers,
      host,
      authorization: `Bearer ${accessToken}`,
      ...(accept !== undefined && { accept }),
      ...(content !== undefined && { 'content-type': file?.type ?? 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    }
    const path = pathname.replace(/\/$/, '') + pathOf(operation, params) + searchOf(query)
    return { method: operation.method, path, headers: sent, ip, ...(content !== undefined && { body: content }) }
  }
  return {
    call: async (operation, ...[asked = {}]) => {
      const { status, headers, body } = await inTime(needs.dispatch(ask(operation, asked)))
      return read(status, headers, body)
    },
    text: async (operation, type, ...[asked = {}]) => {
      const { status, headers, body } = await inTime(needs.dispatch(ask(operation, asked, type)))
      if (status >= 400) read(status, headers, body)
      return body.toString()
    },
    stream: async (operation, type, asked = {}) => {
      const { status, headers, body } = await inTime(needs.dispatchStream(ask(operation, asked, type)))
      if (status >= 400) read(status, headers, Buffer.concat(await body.toArray()))
      return body
    },
    document: async (path) => {
      const { host, pathname } = new URL(needs.config.publicUrl)
      const headers = { host, accept: 'application/json' }
      const sent = { method: 'GET', path: pathname.replace(/\/$/, '') + path, headers, ip }
      const { status, headers: answered, body } = await inTime(needs.dispatch(sent))
      if (status >= 400) read(status, answered, body)
      return body.toString()
    },
    addressOf: (operation, { params, query } = {}) =>
      baseOf(needs.config, operation.group).replace(/\/$/, '') + pathOf(operation, params) + searchOf(query),
  }
}

/** The address of a group. */
function baseOf(config: Needs['config'], group: Group): string {
  return { wallet: config.walletBaseUrl, creds: config.credsBaseUrl, onboarding: config.onboardingBaseUrl }[group]
}

function searchOf(query: LooseCall['query'] = {}): string {
  const members = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []))
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`
}

function read<T, M>(status: number, headers: Readonly<Record<string, string>>, bytes: Buffer): ApiAnswer<T, M> {
  // An answer of this server, which may have the results of many rows.
  const body = bytes.length === 0 ? {} : parseJsonObject(bytes, { valuesMax: VALUES_MAX })
  if (status >= 400) throw new ApiRefusal(status, errorsIn(body.errors))
  return {
    status,
    // The serializer of the operation wrote data and meta by the schemas that type them.
    data: body.data as T,
    meta: (body.meta ?? {}) as M,
    // The links of the envelope.
    links: (body.links ?? {}) as Readonly<Record<string, string>>,
    etag: headers.etag ?? null,
  }
}

function errorsIn(errors: Json | undefined): readonly ApiError[] {
  return (Array.isArray(errors) ? errors : []).map((one: JsonObject) => {
    // The envelope of our own errors.
    const source = (one.source ?? {}) as Readonly<Record<string, string>>
    const meta = (one.meta ?? {}) as JsonObject
    return {
      id: String(one.id ?? ''),
      code: String(one.code ?? ''),
      title: String(one.title ?? ''),
      detail: String(one.detail ?? ''),
      pointer: source.pointer ?? null,
      requiredScope: typeof meta.requiredScope === 'string' ? meta.requiredScope : null,
      ...(typeof meta.rule === 'string' && { rule: meta.rule }),
      ...(meta.limit !== undefined && { limit: String(meta.limit) }),
      meta,
    }
  })
}
