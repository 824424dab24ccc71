import type { Readable } from 'node:stream'
import { type Json, type JsonObject, parseJsonObject } from '../crypto/json.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { withTimeLimit } from '../time-limit.ts'

/** An answer of our API, out of its envelope. */
type ApiAnswer<T> = {
  readonly status: number
  readonly data: T
  readonly meta: JsonObject
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

/** Query members; those that are undefined or empty are left out. */
type Query = Readonly<Record<string, string | undefined>>
type Send = {
  readonly body?: unknown
  /** A body in another media type than JSON. */
  readonly text?: { readonly type: string; readonly content: string }
  readonly query?: Query
  readonly ifMatch?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The public API as a person reaches it. Paths start with the group, e.g. `/creds/credentials`. All throw {@link ApiRefusal}. */
export type OwnApi = {
  /** The address of a path for callers from outside. */
  readonly address: (path: string, query?: Query) => string
  readonly get: <T>(path: string, query?: Query, headers?: Readonly<Record<string, string>>) => Promise<ApiAnswer<T>>
  /** Returns an answer in another media type than JSON, as text. */
  readonly getText: (path: string, type: string, query?: Query) => Promise<string>
  /** Returns an answer without a bound as the API streams it, in that media type. */
  readonly stream: (path: string, type: string, query?: Query) => Promise<Readable>
  readonly send: <T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, more?: Send) => Promise<ApiAnswer<T>>
}

const VALUES_MAX = 1_000_000

type Needs = Pick<Platform, 'dispatch' | 'dispatchStream' | 'config'>

/**
 * Returns the API for the holder of a token. Requests are dispatched inside the process, through the same routes as those of the network.
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
  const ask = async (
    method: string,
    path: string,
    body: string | undefined,
    more: Readonly<Record<string, string>>,
  ) => {
    const place = placeOf(needs, path)
    const headers = { ...more, host: place.host, authorization: `Bearer ${accessToken}` }
    const sent = needs.dispatch({ method, path: place.path, headers, ip, ...(body !== undefined && { body }) })
    return inTime(sent)
  }
  const call = async <T>(...asked: Parameters<typeof ask>) => {
    const answer = await ask(...asked)
    return read<T>(answer.status, answer.headers, answer.body)
  }
  return {
    address: (path, query = {}) => baseOf(needs.config, path).replace(/\/$/, '') + restOf(path) + searchOf(query),
    get: (path, query = {}, headers = {}) => call('GET', path + searchOf(query), undefined, headers),
    getText: async (path, type, query = {}) => {
      const { status, headers, body } = await ask('GET', path + searchOf(query), undefined, { accept: type })
      return status < 400 ? body.toString() : read<string>(status, headers, body).data
    },
    stream: async (path, type, query = {}) => {
      const place = placeOf(needs, path + searchOf(query))
      const sent = { accept: type, host: place.host, authorization: `Bearer ${accessToken}` }
      const answered = inTime(needs.dispatchStream({ method: 'GET', path: place.path, headers: sent, ip }))
      const { status, headers, body } = await answered
      if (status >= 400) read(status, headers, Buffer.concat(await body.toArray()))
      return body
    },
    send: (method, path, { body, text, query = {}, ifMatch, headers = {} } = {}) =>
      call(method, path + searchOf(query), text?.content ?? (body === undefined ? undefined : JSON.stringify(body)), {
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(text !== undefined && { 'content-type': text.type }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      }),
  }
}

function placeOf({ config }: Needs, path: string): { readonly host: string; readonly path: string } {
  const { host, pathname } = new URL(baseOf(config, path))
  return { host, path: pathname.replace(/\/$/, '') + restOf(path) }
}

const groups: readonly string[] = ['wallet', 'creds', 'onboarding']

/** The address of the group of a path. */
function baseOf(config: Needs['config'], path: string): string {
  const bases: Readonly<Record<string, string>> = {
    wallet: config.walletBaseUrl,
    creds: config.credsBaseUrl,
    onboarding: config.onboardingBaseUrl,
  }
  return bases[groupOf(path)] ?? config.publicUrl
}

function groupOf(path: string): string {
  return path.slice(1).split(/[/?]/, 1)[0] ?? ''
}

/** What follows the group in a path; a path of no group is below the address of the deployment. */
function restOf(path: string): string {
  return groups.includes(groupOf(path)) ? path.slice(1 + groupOf(path).length) : path
}

function searchOf(query: Query): string {
  const members = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []))
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`
}

function read<T>(status: number, headers: Readonly<Record<string, string>>, bytes: Buffer): ApiAnswer<T> {
  // An answer of this server, which may have the results of many rows.
  const body = bytes.length === 0 ? {} : parseJsonObject(bytes, { valuesMax: VALUES_MAX })
  if (status >= 400) throw new ApiRefusal(status, errorsIn(body.errors))
  return {
    status,
    // The shape that the route promises; the caller names it.
    data: body.data as T,
    // `meta` and `links` of the envelope.
    meta: (body.meta ?? {}) as JsonObject,
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
