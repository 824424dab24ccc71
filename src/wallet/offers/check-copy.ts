import { type KeyPair, type PublicJwk, thumbprint } from '../../crypto/jwk.ts'
import type { ResolvedIssuer } from '../../trust/issuers/resolve-issuer.ts'
import type { VerifiedCopy } from '../credentials/sealed-copy.ts'
import type { OutboundPeer } from '../credentials/upstream.ts'
import type { SignerTrust } from './issuer-policy.ts'
import type { Received } from './redeem-offer.ts'

/** What is stored beside a sealed credential, so that lists need not open it. */
export type CredentialFacts = {
  /** The `vct`, or the document type of an mdoc. */
  readonly vct: string
  /** What was proven: the DID, the address by metadata, or the name or subject of the certificate. */
  readonly iss: string | null
  /** What the credential states, if that is another one; else null. */
  readonly statedIss: string | null
  readonly issuedAt: Date
  readonly expiresAt: Date | null
}

/** A failed check of a copy. */
export type CopyFinding = { readonly code: string; readonly message: string }

/** A copy that could be parsed, whether or not it is valid. */
export type ReadCopy = VerifiedCopy & {
  readonly issuer: ResolvedIssuer
  /** The `status` claim as JSON; undefined: none. */
  readonly status: unknown
  /** The claims in canonical form: equal for copies with equal claims. */
  readonly content: string
  readonly facts: CredentialFacts
}

/** The result of the checks of one copy. */
export type CopyOutcome = { readonly copy: ReadCopy | null; readonly findings: readonly CopyFinding[] }

/** What the copies of one response are checked with. */
export type CopyContext = {
  readonly platform: OutboundPeer
  readonly received: Received
  readonly trust: SignerTrust
  readonly now: Date
}

/**
 * Checks one copy: everything but the status list.
 *
 * @throws Fault if it cannot be parsed, or the key of its issuer cannot be found.
 */
export type CopyCheck = (raw: string, unused: UnusedKeys) => Promise<CopyOutcome>

/** The proved keys that no copy is bound to yet. */
export class UnusedKeys {
  readonly #left: Map<string, KeyPair>

  /** @param keys All that were proved. */
  constructor(keys: readonly KeyPair[]) {
    this.#left = new Map(keys.map((key) => [thumbprint(key.publicJwk), key]))
  }

  /** [W-R3] Removes and returns the key that a copy names, so that no second copy can have it; null: none of them. */
  take(named: PublicJwk | null): KeyPair | null {
    if (named === null) return null
    const name = thumbprint(named)
    const key = this.#left.get(name) ?? null
    this.#left.delete(name)
    return key
  }
}

/** The longest `iss` and `vct` of the API, in characters. */
const factLengths = { iss: 512, vct: 256 } as const

/** Returns a finding for an `iss` or `vct` that the API cannot show. */
export function lengthFindings(iss: unknown, vct: unknown): readonly CopyFinding[] {
  const fits = (value: unknown, max: number) => typeof value !== 'string' || (value.length > 0 && value.length <= max)
  if (fits(iss, factLengths.iss) && fits(vct, factLengths.vct)) return []
  return [{ code: 'claim.too_long', message: 'The type or the issuer is longer than a wallet can show.' }]
}

/**
 * Returns the facts of a copy. Dates outside the years 1 to 9999 are left out.
 *
 * @param issuer The issuer that was proven; empty: unknown. `iss`: as the credential states it.
 * @param times Milliseconds; NaN: not stated.
 */
export function copyFacts(
  { vct, iss }: { readonly vct: string; readonly iss?: string },
  issuer: string,
  times: { readonly issued: number; readonly expires: number },
  now: Date,
): CredentialFacts {
  return {
    vct,
    iss: issuer.slice(0, factLengths.iss) || null,
    statedIss: iss === undefined || iss === issuer ? null : iss,
    issuedAt: calendarDate(times.issued) ?? now,
    expiresAt: calendarDate(times.expires),
  }
}

function calendarDate(milliseconds: number): Date | null {
  const date = new Date(milliseconds)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date : null
}
