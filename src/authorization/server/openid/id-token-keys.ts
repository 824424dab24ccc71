import type { ID_TOKEN_ALGS } from '../../../contract/directory/clients.ts'
import type { Client } from '../../../directory/clients/client.ts'
import type { KeyRing } from '../../../keys/key-ring.ts'
import { platformTenantId } from '../../../store/store.ts'

type Ring = Pick<KeyRing, 'current' | 'hasRsa'>

/** Usages of the keys that sign ID tokens and logout tokens, or signed them. */
export const ID_TOKEN_USAGES = ['id-token', 'id-token-rs256'] as const

/** Returns the algorithms by which ID tokens are signed. A PKCS #11 token without RSA has the second only. */
export function idTokenAlgs({ hasRsa }: Pick<KeyRing, 'hasRsa'>): readonly (typeof ID_TOKEN_ALGS)[number][] {
  return hasRsa ? ['RS256', 'ES256'] : ['ES256']
}

/** Returns the usages of {@link ID_TOKEN_USAGES} whose keys sign now. */
export function currentIdTokenUsages({ hasRsa }: Pick<KeyRing, 'hasRsa'>): readonly (typeof ID_TOKEN_USAGES)[number][] {
  return hasRsa ? ID_TOKEN_USAGES : ['id-token']
}

/**
 * Returns the key that signs ID tokens and logout tokens for a client: by its algorithm, or ES256 where there are no
 * RSA keys.
 *
 * @see [OpenID Connect Dynamic Client Registration 1.0, 2](https://openid.net/specs/openid-connect-registration-1_0.html#ClientMetadata):
 *   `id_token_signed_response_alg`
 */
export function idTokenKey(keys: Ring, { idTokenSignedResponseAlg: alg }: Pick<Client, 'idTokenSignedResponseAlg'>) {
  return keys.current(platformTenantId, alg === 'RS256' && keys.hasRsa ? 'id-token-rs256' : 'id-token')
}
