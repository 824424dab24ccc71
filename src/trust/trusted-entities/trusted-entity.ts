import type { Anchor, Purpose } from '../../crypto/x509-path/anchor.ts'

/** A DID of a trusted entity. `name` is for display. */
type TrustedDid = { readonly did: string; readonly name?: string }

/** The content of a trusted entity; a PUT replaces all of it. */
export type TrustedEntityContent = {
  readonly name: string
  readonly dids: readonly TrustedDid[]
  /** PEM of certification authorities. */
  readonly certificates: readonly string[]
  /** https identifiers, as in `iss` and in credential offers. */
  readonly issuers: readonly string[]
  /** [X5-4] The only purposes that they are trusted for. */
  readonly purposes: readonly Purpose[]
  /** Extended key usages of the signers below its certificates; empty: the usual ones. */
  readonly signerUsages: NonNullable<Anchor['signerUsages']>
}

/** An issuer or verifier that a tenant trusts. */
export type TrustedEntity = TrustedEntityContent & {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}
