import type { JsonObject } from '../../crypto/json.ts'

/** A credential that a request asks for, as the API shows it; `meta` has the rest. */
type AskedCredential = {
  readonly type: string
  readonly format: 'sd-jwt-vc' | 'mdoc'
  readonly name?: string
  readonly description?: string
  readonly attributes: JsonObject
}

/** A presentation template: what the verifier asks for, without the members in its `meta`. */
export type RequestTemplate = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly updatedAt: string
  readonly credentials: readonly AskedCredential[]
}

/** Members of a presentation template that the API returns in `meta`. */
export type RequestMeta = {
  readonly verifierConfig: JsonObject | null
  readonly retentionSeconds: number | null
  /** By position: `issuers`, `trustedIssuers`, `optional` and what else its schema knows. */
  readonly credentials: readonly JsonObject[]
}

/** A type that an organisation of this server publishes. */
export type PublishedType = {
  readonly id: string
  readonly type: string
  readonly format: 'sd-jwt-vc' | 'mdoc'
  readonly name: string
  readonly issuer: { readonly id: string; readonly name: string }
}
