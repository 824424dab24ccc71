import type { JsonObject } from '../../crypto/json.ts'
import type { KeyType } from '../../keys/key-provider.ts'

/** Formats of a credential that a template may request, by their names in the API. */
export const templateFormats = ['sd-jwt-vc', 'mdoc'] as const

/** The entry of `issuers` that allows any issuer. No other entry may be beside it. */
export const ANY_ISSUER = '*'

/** One of {@link templateFormats}. */
export type PresentationTemplateFormat = (typeof templateFormats)[number]

/** A credential that a template requests. `attributes` passed `readRequestedAttributes` and is stored unchanged. */
export type TemplateCredential = {
  /** The `vct`, or the document type of an mdoc. */
  readonly type: string
  readonly format: PresentationTemplateFormat
  readonly attributes: JsonObject
  readonly name?: string
  readonly description?: string
  /** DIDs, https identifiers, subject key identifiers in hex; {@link ANY_ISSUER} alone: any issuer, with a warning in the result. */
  readonly issuers?: readonly string[]
  /** Ids of trusted entities. Both lists empty: see `checkIssuer`. An issuer that is in neither list is refused. */
  readonly trustedIssuers?: readonly string[]
  /** Whether an mdoc is invalid if its validity period ends after that of its signer certificate; by default that is a warning. */
  readonly strictValidity?: boolean
}

/** A DCQL credential set: each option is a list of names or positions of the template's credentials. */
export type TemplateSet = { readonly options: readonly (readonly (string | number)[])[]; readonly required?: boolean }

/** How requests are created from a template. Unknown members are stored and ignored. */
export type VerifierConfig = {
  readonly signer?: 'certificate' | 'did:web'
  readonly keyType?: KeyType
  /** Client identifier prefix of a request signed with a certificate; by default `x509_hash`. */
  readonly clientIdPrefix?: 'x509_hash' | 'x509_san_dns'
  readonly responseMode?: 'direct_post' | 'direct_post.jwt'
  readonly expiresInSeconds?: number
  readonly redirectUri?: string
  readonly credentialSets?: readonly TemplateSet[]
  readonly [unknown: string]: unknown
}

/** The content of a template, which a PUT replaces. */
export type TemplateContent = {
  readonly name: string
  readonly description: string
  readonly credentials: readonly TemplateCredential[]
  readonly verifierConfig: VerifierConfig | null
  readonly retentionSeconds: number | null
}

/** The credentials and claims that an organisation requests; any number of presentation requests are created from it. */
export type PresentationTemplate = TemplateContent & {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}
