import type { Role } from '../../caller.ts'
import type { Frame } from '../frame/screen.ts'

/** Where providers are listed. */
export const LIST = '/console/sign-in-providers'
/** Their operations. */
export const API = '/onboarding/identity-providers'
/** Their entry of the menu. */
export const place = 'providers'

/** An external OpenID provider, as the API shows it. */
export type Provider = {
  readonly id: string
  readonly name: string
  readonly displayName: string
  readonly issuer: string
  readonly clientId: string
  readonly hasClientSecret: boolean
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly claims: {
    readonly username: string
    readonly email: string
    readonly roles: string | null
    readonly externalIdentifier: string | null
  }
  readonly roles: Readonly<Record<string, readonly Role[]>>
  readonly createsUsers: boolean
  readonly signIn: boolean
  readonly acceptTokens: boolean
  readonly audience: string | null
  readonly namesPeople: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** Returns the address of a provider, or of something to do with it. */
export function at({ id }: Pick<Provider, 'id'>, verb?: string): string {
  return `${LIST}/${encodeURIComponent(id)}${verb === undefined ? '' : `/${verb}`}`
}

/** Reads the provider of the address, with the entity tag of its state. */
export async function read({ api, params }: Frame<{ readonly id: string }>) {
  const { data, etag } = await api.get<Provider>(`${API}/${encodeURIComponent(params.id)}`)
  return { found: data, etag: etag ?? '' }
}
