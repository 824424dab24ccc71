import type { Readable } from 'node:stream'
import type { TenantId } from './caller.ts'
import type { Config } from './config.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { Sealing } from './keys/sealing.ts'
import type { Memory } from './memory/memory.ts'
import type { RateLimiter } from './memory/rate-limiter.ts'
import type { AcrossTx, Store } from './store/store.ts'

/** The clock of the server, which agrees with that of its database; tests set it. */
export type Clock = {
  readonly now: () => Date
  /**
   * Whether the clock of this machine agrees with it. While it does not, no job, sweep or webhook is begun. Absent:
   * there is no other clock.
   */
  readonly agrees?: () => boolean
}

/** Structured log lines. Never a token, code, claim or key in `fields`. */
export type Log = {
  readonly debug: (fields: object, message: string) => void
  readonly info: (fields: object, message: string) => void
  readonly warn: (fields: object, message: string) => void
  readonly error: (fields: object, message: string) => void
}

/** An outbound request to an address that others choose. */
export type OutboundRequest = {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** A body that is no text. It is sent to foreign addresses only. */
  readonly bytes?: Uint8Array
  /**
   * Media types that a 2xx response may have; others are refused. Empty: every type, for responses whose body is not
   * read.
   */
  readonly accept: readonly string[]
  /** Limit of the decoded body. */
  readonly bytesMax: number
  /**
   * 0 by default. Each hop is vetted like the first; a request with a body or an Authorization header is not
   * redirected.
   */
  readonly redirectsMax?: number
  /** Time limit of the whole call; 10 s by default and at most. */
  readonly timeoutMs?: number
  /**
   * Whether the receiver belongs to the organisation, as the endpoint of a webhook does, and may link requests by
   * `traceparent`.
   */
  readonly isTraced?: boolean
}

/**
 * The tenant on whose behalf work is done: outbound calls and fetched documents count against its share. It grants no
 * access to rows.
 */
export type ForTenant = { readonly tenantId: TenantId }

/** The response to an outbound request. `contentType` is the bare media type in lower case, `''` without one. */
export type OutboundAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string
  readonly body: Buffer
}

/**
 * The outbound client. Every HTTP status is a response, not a fault.
 *
 * @param tenantId The tenant on whose behalf the call is made. The call counts against its share of
 *   `http.outbound_calls`.
 * @throws Fault `upstream.refused`, `upstream.unreachable`, `upstream.timeout`, `upstream.too_large`,
 *   `upstream.media_type`
 */
export type OutboundFetch = (tenantId: TenantId, url: string, request: OutboundRequest) => Promise<OutboundAnswer>

/** A request that is dispatched inside the process. */
export type InternalRequest = {
  readonly method: string
  /** Path with query, from the root of the server. */
  readonly path: string
  /** `host` is required for a group that is served under a host of its own. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Address of the person on whose behalf the request is made, for the audit trail and the limits. */
  readonly ip?: string
}

/** The response to an {@link InternalRequest}; header names in lower case. */
export type InternalResponse = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/** Runs a request through the routes of this server, without a socket. Every status is a response, not a fault. */
export type Dispatch = (request: InternalRequest) => Promise<InternalResponse>

/** As {@link InternalResponse}, with a body that is read while it is made. */
export type InternalStream = Omit<InternalResponse, 'body'> & { readonly body: Readable }

/** A row whose changes are awaited. */
export type WatchedRow = { readonly tenantId: TenantId; readonly id: string }

/** A kind of rows whose changes can be awaited. */
export type WatchedKind = {
  readonly name: string
  /**
   * Returns the version of each existing row, in one statement. It differs whenever the representation of the row
   * differs.
   *
   * @param now Rows that expire by then have the version of an expired row.
   */
  readonly versions: (
    tx: AcrossTx,
    watched: readonly WatchedRow[],
    now: Date,
  ) => Promise<readonly (WatchedRow & { readonly version: string })[]>
}

/** One waiting caller. */
export type Watch = {
  /** Resolves when the row may have changed since the last call, after `waitMs`, or when the server stops. */
  readonly next: (waitMs: number) => Promise<void>
  /** False when the server stops. */
  readonly isOpen: () => boolean
  readonly close: () => void
}

/** Change notification for the callers of one server. */
export type Changes = {
  /**
   * Watches a row for changes by any process. A change is detected within about 300 ms. The database is polled only
   * while a caller waits.
   *
   * @returns null if the process or the tenant has too many watches, or the server stops.
   */
  readonly watch: (kind: WatchedKind, row: WatchedRow) => Watch | null
  /** Rejects if a poll has not ended for a minute. */
  readonly check: () => Promise<void>
  /** Resolves all watches: the server stops. */
  readonly end: () => void
}

/**
 * What a journal keeps of a change: enough to repeat it on an older state of the database. `at`: ISO 8601; of two lines
 * about one thing the later one counts.
 */
export type JournalLine = {
  readonly kind: 'status' | 'certificate'
  readonly at: string
  readonly tenantId: TenantId
} & Readonly<Record<string, string | number | null | readonly number[]>>

/** Keeps revocations outside the database, so that a restored backup does not undo them. */
export type RevocationJournal = {
  /** False: the deployment keeps none, and nothing need be collected for it. */
  readonly isKept: boolean
  /** Resolves when the lines are on the disk. Called before the answer to a revocation. */
  readonly append: (lines: readonly JournalLine[]) => Promise<void>
}

/** Everything that a use case may use. It names the members that it needs in its first parameter. */
export type Platform = {
  readonly config: Config
  readonly store: Store
  readonly sealing: Sealing
  readonly keys: KeyRing
  readonly rateLimiter: RateLimiter
  /** The caches of this server. */
  readonly memory: Memory
  readonly clock: Clock
  readonly fetch: OutboundFetch
  /** By this the pages speak our own API. */
  readonly dispatch: Dispatch
  /** As `dispatch`, for answers without a bound. Resolves with the header of the response. */
  readonly dispatchStream: (request: InternalRequest) => Promise<InternalStream>
  readonly log: Log
  readonly urls: Urls
  readonly changes: Changes
  readonly journal: RevocationJournal
}

/** Public addresses; those of a tenant contain its slug. */
export type Urls = {
  readonly publicUrl: string
  /** Credential Issuer Identifier and, being the same service, authorization server issuer. */
  readonly issuer: (slug: string) => string
  readonly verifier: (slug: string) => string
  /** did:web of the tenant; its document is at `issuer(slug)/did.json`. */
  readonly did: (slug: string) => string
  /** Issuer of the platform's own access tokens. */
  readonly auth: string
}

/** Returns the public addresses under PUBLIC_URL. @see did:web method specification, "Read (Resolve)" */
export function urlsOf({ publicUrl }: Pick<Config, 'publicUrl'>): Urls {
  const host = new URL(publicUrl).host.replace(':', '%3A')
  return {
    publicUrl,
    issuer: (slug) => `${publicUrl}/issuers/${slug}`,
    verifier: (slug) => `${publicUrl}/verifiers/${slug}`,
    did: (slug) => `did:web:${host}:issuers:${slug}`,
    auth: `${publicUrl}/auth`,
  }
}
