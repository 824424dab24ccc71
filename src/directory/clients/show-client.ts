import type { Static } from 'typebox'
import type { ClientBody, ClientChangeBody, ClientReply, CreatedClientReply } from '../../contract/directory/clients.ts'
import { type PublicJwk, readPublicJwk } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import type { ClientMembers, ClientRecord } from './client-record.ts'
import type { CreatedClient } from './manage-clients.ts'

/**
 * Returns the members that a body gives.
 *
 * @throws Fault `request.invalid` if a key is not a P-256 or Ed25519 public key
 */
export function givenMembers({
  jwks,
  ...given
}: Static<typeof ClientBody> | Static<typeof ClientChangeBody>): Partial<ClientMembers> {
  if (jwks === undefined) return given
  return { ...given, keys: jwks === null ? null : jwks.keys.map(keyAt) }
}

function keyAt(value: unknown, index: number): PublicJwk {
  try {
    return readPublicJwk(value)
  } catch {
    const detail = 'Must be a P-256 or Ed25519 public key.'
    throw new Fault('request.invalid', {
      violations: [{ pointer: `/jwks/keys/${index}`, detail, rule: 'client.keys' }],
    })
  }
}

/** Returns a client as our API shows it. */
export function showClient({ keys, secrets, createdAt, updatedAt, lastUsedAt, ...rest }: ClientRecord): ClientReply {
  return {
    ...rest,
    scopes: [...rest.scopes],
    roles: [...rest.roles],
    // Written through the schema of the members only.
    grantTypes: [...rest.grantTypes] as ClientReply['grantTypes'],
    redirectUris: [...rest.redirectUris],
    postLogoutRedirectUris: [...rest.postLogoutRedirectUris],
    jwks: keys === null ? null : { keys: keys.map((key) => ({ ...key })) },
    secrets: secrets.map((one) => ({
      ...one,
      createdAt: one.createdAt.toISOString(),
      endsAt: one.endsAt?.toISOString() ?? null,
    })),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}

/** As {@link showClient}, with the secret that is shown once, if there is one. */
export function showCreated({ client, secret }: CreatedClient): CreatedClientReply {
  return { ...showClient(client), ...(secret !== null && { clientSecret: secret }) }
}
