import type { TenantId } from './caller.ts'
import type { Config } from './config.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { Sealing } from './keys/sealing.ts'
import type { Memory } from './memory/memory.ts'
import type { RateLimiter } from './memory/rate-limiter.ts'
import type { AcrossTx, Store } from './store/store.ts'

/** The one clock. Tests set it; nothing else reads the time. */
export type Clock = { readonly now: () => Date }

/** Structured log lines. Never a token, code, claim or key in `fields`. */
export type Log = {
  readonly debug: (fields: object, message: string) => void
  readonly info: (fields: object, message: string) => void
  readonly warn: (fields: object, message: string) => void
  readonly error: (fields: object, message: string) => void
}

/** A call to an address that somebody else chose. */
export type OutboundRequest = {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Media types that may come back with a 2xx status; anything else is refused. Empty: all are let through, for answers whose body is not used. */
  readonly accept: readonly string[]
  /** Of the decoded body; reading stops there. */
  readonly bytesMax: number
  /** Default 0. Each hop is checked like the first; never with a body or an Authorization header. */
  readonly redirectsMax?: number
  /** For the whole call. Default 10 s. */
  readonly timeoutMs?: number
}

/** `contentType` is the bare media type in lower case, `''` when there was none. */
export type OutboundAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string
  readonly body: Buffer
}

/**
 * The guarded way out. Statuses other than 2xx are answers, not faults.
 *
 * @throws Fault `upstream.refused`, `upstream.unreachable`, `upstream.timeout`, `upstream.too_large`, `upstream.media_type`
 */
export type OutboundFetch = (url: string, request: OutboundRequest) => Promise<OutboundAnswer>

/** The row whose change is waited for. */
export type WatchedRow = { readonly tenantId: TenantId; readonly id: string }

/** A kind of rows whose changes can be waited for. */
export type WatchedKind = {
  readonly name: string
  /**
   * A text for each of these things that is there, in one statement: another one whenever the thing is shown otherwise.
   *
   * @param now What has run out by then is shown as such.
   */
  readonly versions: (
    tx: AcrossTx,
    asked: readonly WatchedRow[],
    now: Date,
  ) => Promise<readonly (WatchedRow & { readonly version: string })[]>
}

/** One caller that waits. */
export type Watch = {
  /** Resolves when the thing may have changed since the last call, when `waitMs` have passed, or when the server stops. */
  readonly next: (waitMs: number) => Promise<void>
  /** Whether waiting makes sense any more: not when the server stops. */
  readonly isOpen: () => boolean
  readonly leave: () => void
}

/** Waits for changes on behalf of the callers of one server. */
export type Changes = {
  /**
   * Begins to wait for changes, by this process or another one on the same database. A change is seen within about 300 ms. The database is
   * queried only while a caller waits.
   *
   * @returns null if the process or the tenant has too many waiting already, or the server stops.
   */
  readonly watch: (watched: WatchedKind, awaited: WatchedRow) => Watch | null
  /** Wakes all waiting callers for good: the server stops. */
  readonly end: () => void
}

/** What a use case may reach. It names the members that it needs in its first parameter. */
export type Platform = {
  readonly config: Config
  readonly store: Store
  readonly sealing: Sealing
  readonly keys: KeyRing
  readonly rateLimiter: RateLimiter
  /** Everything that this server remembers between requests. */
  readonly memory: Memory
  readonly clock: Clock
  readonly fetch: OutboundFetch
  readonly log: Log
  readonly urls: Urls
  readonly changes: Changes
}

/** Addresses that go to wallets and verifiers; each carries the tenant's slug. */
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

/** Builds the addresses from the public origin. @see did:web method specification, "Read (Resolve)" */
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
