import type { JsonObject } from '../../crypto/json.ts'
import type { KeyType } from '../../keys/key-provider.ts'

/** Formats of a credential that a template may ask for, by the names of our API. */
export const templateFormats = ['sd-jwt-vc', 'mdoc'] as const

/** The entry of `issuers` that allows every issuer; the only one of its list. */
export const ANY_ISSUER = '*'

/** One of {@link templateFormats}. */
export type PresentationTemplateFormat = (typeof templateFormats)[number]

/** One credential that a template asks for. `attributes` passed `readAttributes` and stays as the organisation wrote it. */
export type TemplateCredential = {
  /** The `vct`, or the document type of an mdoc. */
  readonly type: string
  readonly format: PresentationTemplateFormat
  readonly attributes: JsonObject
  readonly name?: string
  readonly description?: string
  /** DIDs, https identifiers, subject key identifiers in hex; {@link ANY_ISSUER} alone: every issuer, and the result says so. */
  readonly issuers?: readonly string[]
  /** Ids of trusted entities. Both lists empty: the tenant and its trusted entities. An issuer that neither list covers is refused. */
  readonly trustedIssuers?: readonly string[]
  /** Whether an mdoc is refused that is to be valid for longer than the certificate of its signer; else that is a warning. */
  readonly strictValidity?: boolean
}

/** Which credentials together serve one purpose: each option is a list of names or positions of the template's credentials. */
export type TemplateSet = { readonly options: readonly (readonly (string | number)[])[]; readonly required?: boolean }

/** How a request is made from a template. Members that we do not know are kept and ignored. */
export type VerifierConfig = {
  readonly signer?: 'certificate' | 'did:web'
  readonly keyType?: KeyType
  /** How wallets know a verifier with a certificate; `x509_hash` unless told. */
  readonly clientIdPrefix?: 'x509_hash' | 'x509_san_dns'
  readonly responseMode?: 'direct_post' | 'direct_post.jwt'
  readonly expiresInSeconds?: number
  readonly redirectUri?: string
  readonly credentialSets?: readonly TemplateSet[]
  readonly [unknown: string]: unknown
}

/** What a template says; all of it is replaced by a PUT. */
export type TemplateContent = {
  readonly name: string
  readonly description: string
  readonly credentials: readonly TemplateCredential[]
  readonly verifierConfig: VerifierConfig | null
  readonly retentionSeconds: number | null
}

/** What an organisation wants to know about a holder, to be asked any number of times. */
export type PresentationTemplate = TemplateContent & {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}
