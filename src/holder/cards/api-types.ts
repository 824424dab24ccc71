import type { JsonObject } from '../../crypto/json.ts'
import type { Basis } from '../trust/why-known.ts'

/** How a credential looks, as the API says it. */
export type Display = {
  readonly name: string | null
  readonly description?: string
  readonly issuer: {
    readonly name: string | null
    readonly identifier: string
    /** Whether the organisation of the holder knows the issuer. */
    readonly trust: 'own' | 'trusted_entity' | 'unknown'
  }
  readonly backgroundColor?: string
  readonly textColor?: string
  readonly images?: readonly string[]
  readonly labels: readonly { readonly path: string; readonly name: string }[]
}

/** What the API says about a credential besides its claims. */
export type Details = {
  readonly display: Display
  readonly standing?: { readonly status: 'valid' | 'suspended' | 'revoked'; readonly checkedAt: string | null }
  readonly validFrom: string
  readonly validUntil: string | null
  readonly receivedAt: string
}

/** A credential of the wallet. */
export type Credential = {
  readonly id: string
  readonly claims: JsonObject
  readonly status: 'pending' | 'accepted' | 'rejected'
  readonly format: 'vc+sd-jwt' | 'mso_mdoc'
  readonly vct: string
}

/** An entry of the history. */
export type HistoryEntry = {
  readonly id: string
  readonly kind: 'credential' | 'presentation'
  readonly status: 'pending' | 'accepted' | 'rejected' | 'removed' | 'answered' | 'failed' | 'expired'
  readonly createdAt: string
  readonly updatedAt: string
  readonly credential?: { readonly vct: string; readonly credentialIssuer: string; readonly standing?: string }
  readonly presentation?: {
    readonly verifier: Verifier
    readonly purpose?: string
    readonly disclosed: 'yes' | 'no' | 'unknown'
    readonly selectedCredentials: readonly {
      readonly credentialId: string
      readonly matchedAttributes: readonly string[]
      readonly alsoDisclosed: readonly string[]
    }[]
  }
}

/** The verifier of a request. */
export type Verifier = {
  readonly clientId: string
  readonly name: string
  readonly responseHost: string
  readonly authenticated: boolean
  readonly trusted: boolean
  readonly own?: boolean
  readonly basis?: Basis
  readonly statedName?: string
}
