import { type KeyPair, type PublicJwk, thumbprint } from '../../crypto/jwk.ts'
import type { ResolvedIssuer } from '../../trust/issuers/resolve-issuer.ts'
import type { VerifiedCopy } from '../credentials/sealed-copy.ts'

/** What is kept beside a credential, so that lists need not open it. */
export type CredentialFacts = {
  /** The `vct`, or the document type of an mdoc. */
  readonly vct: string
  readonly iss: string | null
  readonly issuedAt: Date
  readonly expiresAt: Date | null
}

/** One thing that is wrong with a copy. */
export type CopyFinding = { readonly code: string; readonly message: string }

/** A copy that could be read, whether or not it holds. */
export type ReadCopy = VerifiedCopy & {
  readonly issuer: ResolvedIssuer
  /** The `status` that it carries, as JSON; undefined: none. */
  readonly status: unknown
  /** What it says, in a form that is the same for all copies that say the same. */
  readonly content: string
  readonly facts: CredentialFacts
}

/** What the checks of one copy came to. */
export type CopyOutcome = { readonly copy: ReadCopy | null; readonly findings: readonly CopyFinding[] }

/** The keys that were sent and no copy has named yet. */
export class UnusedKeys {
  readonly #left: Map<string, KeyPair>

  /** @param keys All that were sent. */
  constructor(keys: readonly KeyPair[]) {
    this.#left = new Map(keys.map((key) => [thumbprint(key.publicJwk), key]))
  }

  /** [W-R3] The key of ours that a copy names, taken out so that no second copy can have it; null: none of them. */
  take(named: PublicJwk | null): KeyPair | null {
    if (named === null) return null
    const name = thumbprint(named)
    const key = this.#left.get(name) ?? null
    this.#left.delete(name)
    return key
  }
}

/** How long `iss` and `vct` of the API may be, in characters. */
export const factLengths = { iss: 512, vct: 256 } as const

/** What is wrong with facts that the API cannot show. */
export function lengthFindings(iss: unknown, vct: unknown): readonly CopyFinding[] {
  const fits = (value: unknown, max: number) => typeof value !== 'string' || (value.length > 0 && value.length <= max)
  if (fits(iss, factLengths.iss) && fits(vct, factLengths.vct)) return []
  return [{ code: 'claim.too_long', message: 'The type or the issuer is longer than a wallet can show.' }]
}

/** Null for what no calendar has. */
export function calendarDate(milliseconds: number): Date | null {
  const date = new Date(milliseconds)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date : null
}

/** JSON that does not depend on the order of members. */
export function orderedJson(value: unknown): string {
  return JSON.stringify(value, (_name, one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
}
