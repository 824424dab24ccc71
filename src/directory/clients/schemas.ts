import { type Static, Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import { type PublicJwk, readPublicJwk } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import type { ClientMembers, ClientRecord } from './client-record.ts'
import type { ClientWithSecret } from './manage-clients.ts'
import { clientMembers } from './member-schemas.ts'

const { name, jwks, jwksUri, backchannelLogoutUri, isPublic, ...lists } = clientMembers
const time = Type.String({ format: 'date-time' })
const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const disabled = Type.Boolean({ description: 'A disabled client gets no tokens; those that it has expire.' })

/** The body that creates a client. */
export const ClientBody = Type.Object(
  {
    ...Type.Partial(Type.Object(lists)).properties,
    name,
    isPublic: Type.Optional(isPublic),
    backchannelLogoutUri: Type.Optional(backchannelLogoutUri),
    jwks: Type.Optional(jwks),
    jwksUri: Type.Optional(jwksUri),
    disabled: Type.Optional(disabled),
  },
  { $id: 'ClientBody', additionalProperties: false, examples: [{ name: 'Registry', roles: ['issuer'] }] },
)

/** The body that changes a client. Absent members stay as they are. */
export const ClientChangeBody = Type.Object(
  {
    ...Type.Partial(Type.Object(lists)).properties,
    name: Type.Optional(name),
    backchannelLogoutUri: Type.Optional(orNull(backchannelLogoutUri)),
    jwks: Type.Optional(orNull(jwks)),
    jwksUri: Type.Optional(orNull(jwksUri)),
    disabled: Type.Optional(disabled),
  },
  { $id: 'ClientChangeBody', additionalProperties: false, examples: [{ disabled: true }] },
)

/** The body that rotates the secret. */
export const ClientSecretBody = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        description: 'How long the former secret is valid too; a day by default. Use 0 if it has leaked.',
      }),
    ),
  },
  { $id: 'ClientSecretBody', additionalProperties: false, examples: [{ overlapSeconds: 3600 }] },
)

const SecretReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    origin: Type.Enum(['server', 'file'], { description: '`file`: from the bootstrap file.' }),
    createdAt: time,
    endsAt: { ...orNull(time), description: 'When it stops being valid; null: it does not.' },
  },
  { additionalProperties: false },
)

/** A client in a reply. */
export const ClientReply = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    clientId: Type.String(),
    ...lists,
    isPublic,
    name: orNull(name),
    backchannelLogoutUri: orNull(backchannelLogoutUri),
    jwks: orNull(jwks),
    jwksUri: orNull(jwksUri),
    disabled,
    secrets: Type.Array(SecretReply, { description: 'Those that are valid, the newest first; at most two.' }),
    clientSecret: Type.Optional(
      Type.String({ description: 'The secret, 256 bits. It is shown only in the response that creates it.' }),
    ),
    createdAt: time,
    updatedAt: time,
    lastUsedAt: { ...orNull(time), description: 'When it last authenticated, to within five minutes.' },
  },
  { $id: 'Client', additionalProperties: false },
)
type ClientReply = Static<typeof ClientReply>

/** Query of the list of clients. */
export const ClientListQuery = listQuery()

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
    throw new Fault('request.invalid', { violations: [{ pointer: `/jwks/keys/${index}`, detail }] })
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

/** As {@link showClient}, with the secret that is shown once. */
export function showWithSecret({ client, secret }: ClientWithSecret): ClientReply {
  return { ...showClient(client), ...(secret !== null && { clientSecret: secret }) }
}
