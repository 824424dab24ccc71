/** One step of a claims path pointer: a key, an index, or null for every element of an array. */
export type PathStep = string | number | null

/** A requested value of a claim, compared by type and value. */
export type ClaimValue = string | number | boolean

/** One requested claim. */
export type ClaimQuery = {
  readonly id: string | null
  /** Index of the first claim with this path in `claims`, so that each path is located once. */
  readonly pointer: number
  readonly path: readonly PathStep[]
  readonly values: readonly ClaimValue[] | null
  /** mso_mdoc only; null if absent. */
  readonly intentToRetain: boolean | null
}

/** An authority that the verifier trusts. */
export type TrustedAuthority = { readonly type: string; readonly values: readonly string[] }

/** One requested credential, with the defaults of the specification filled in. */
export type CredentialQuery = {
  readonly id: string
  readonly format: string
  /** `vct_values`, or the one `doctype_value`; null for other formats. */
  readonly types: readonly string[] | null
  readonly multiple: boolean
  readonly holderBinding: boolean
  readonly trustedAuthorities: readonly TrustedAuthority[] | null
  readonly claims: readonly ClaimQuery[]
  /** `claims` and `claim_sets` merged: each option is a list of claims, the preferred one first. Never empty. */
  readonly options: readonly (readonly ClaimQuery[])[]
}

/** Ways to satisfy one purpose: each option is a list of credential query ids. */
export type CredentialSet = { readonly options: readonly (readonly string[])[]; readonly required: boolean }

/** A DCQL query that passed {@link parseQuery}; defaults are filled in, unknown members removed. */
export type DcqlQuery = {
  readonly credentials: readonly CredentialQuery[]
  readonly credentialSets: readonly CredentialSet[] | null
}

/** Limits of untrusted queries. [DCQL-9] */
export const dcqlLimits = {
  credentialsMax: 32,
  claimsMax: 128,
  optionsMax: 64,
  valuesMax: 64,
  pathStepsMax: 16,
  textLengthMax: 1024,
  /** Claims in all options of all credential queries. */
  optionClaimsMax: 4096,
  /** Claims and elements that are evaluated: for one credential and one credential query, and in total. */
  elementsMax: 50_000,
  workMax: 500_000,
} as const

/** Remaining work budget. */
export type WorkBudget = { left: number }
