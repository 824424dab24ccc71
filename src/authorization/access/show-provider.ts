import type { ProviderReply } from '../../contract/directory/identity-providers.ts'
import type { providerRedirectUri } from './identity-provider.ts'
import type { ManagedProvider } from './managed-provider-store.ts'

/** Returns a provider as our API shows it. @param redirectUri See {@link providerRedirectUri}. */
export function showProvider({ createdAt, updatedAt, ...rest }: ManagedProvider, redirectUri: string): ProviderReply {
  return {
    ...rest,
    redirectUri,
    scopes: [...rest.scopes],
    claims: { ...rest.claims },
    roles: Object.fromEntries(Object.entries(rest.roles).map(([name, given]) => [name, [...given]])),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
