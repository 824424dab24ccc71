/** One step of a claims path pointer: a key, an index, or null for every element of an array. */
export type PathStep = string | number | null

/** What a claim may be asked to equal, in type and value. */
export type ClaimValue = string | number | boolean

/** One claim that a verifier asks for. */
export type ClaimQuery = {
  readonly id: string | null
  /** Where the first claim with this path stands in the query's `claims`: what it selects is looked up once. */
  readonly pointer: number
  readonly path: readonly PathStep[]
  readonly values: readonly ClaimValue[] | null
  /** mso_mdoc only; null where the verifier made no statement. */
  readonly intentToRetain: boolean | null
}

/** Whom the verifier would trust as issuer. */
export type TrustedAuthority = { readonly type: string; readonly values: readonly string[] }

/** One credential that a verifier asks for, with the defaults of the spec filled in. */
export type CredentialQuery = {
  readonly id: string
  readonly format: string
  /** `vct_values`, or the one `doctype_value`; null in a format of which we only know the name. */
  readonly types: readonly string[] | null
  readonly multiple: boolean
  readonly holderBinding: boolean
  readonly trustedAuthorities: readonly TrustedAuthority[] | null
  readonly claims: readonly ClaimQuery[]
  /** What `claims` and `claim_sets` come to: each option is a list of claims, the verifier's favourite first. Never empty. */
  readonly options: readonly (readonly ClaimQuery[])[]
}

/** Ways to satisfy one purpose: each option is a list of credential query ids. */
export type CredentialSet = { readonly options: readonly (readonly string[])[]; readonly required: boolean }

/** A DCQL query that passed {@link parseQuery}; wire defaults are filled in, unknown members are gone. */
export type DcqlQuery = {
  readonly credentials: readonly CredentialQuery[]
  readonly credentialSets: readonly CredentialSet[] | null
}

/** Bounds on what a stranger may make us evaluate. [DCQL-9] */
export const dcqlLimits = {
  credentialsMax: 32,
  claimsMax: 128,
  optionsMax: 64,
  valuesMax: 64,
  pathStepsMax: 16,
  textLengthMax: 1024,
  /** Claims in all options of all credential queries. */
  optionClaimsMax: 4096,
  /** Claims that are tried and elements that are looked at: of one credential for one credential query, and in all. */
  elementsMax: 50_000,
  workMax: 500_000,
} as const

/** How much more may be evaluated; taken off before it is done. */
export type Work = { left: number }
