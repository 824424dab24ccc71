import type { Purpose } from '../../crypto/x509-path/anchor.ts'

/** A DID of somebody who is trusted. `name` is for people. */
export type TrustedDid = { readonly did: string; readonly name?: string }

/** What a tenant says about somebody it trusts; all of it is replaced by a PUT. */
export type TrustedEntityContent = {
  readonly name: string
  readonly dids: readonly TrustedDid[]
  /** PEM of certification authorities. */
  readonly certificates: readonly string[]
  /** https identifiers, as in `iss` and in credential offers. */
  readonly issuers: readonly string[]
  /** [X5-4] What they are trusted for; nothing else. */
  readonly purposes: readonly Purpose[]
}

/** Somebody whom a tenant trusts. */
export type TrustedEntity = TrustedEntityContent & {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}
