import { type Static, Type } from 'typebox'
import { clientMembers } from '../../contract/directory/clients.ts'
import { TenantSettings } from '../../contract/directory/settings.ts'
import { isJsonObject, type Json, memberOf, parseJson } from '../../crypto/json.ts'
import { type PublicJwk, readPublicJwk } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import { checkMaker } from '../../http/validation/check.ts'
import { pointerTo } from '../../json-pointer.ts'
import { clientMistakes } from '../clients/check-client.ts'
import { clientDefaults, grantTypesOf } from '../clients/client.ts'
import { isMadeSecret } from '../clients/client-secret.ts'
import { settingMistakes } from '../tenants/setting-mistakes.ts'
import { foldCase } from '../users/user.ts'

const name = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000]*$' })
/** A client id must not have the form of a user id: the subject of a token is one or the other. */
const CLIENT_ID = '^(?![0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$)[\\x21-\\x7e]+$'

const ClientEntry = Type.Object(
  {
    ...Type.Partial(Type.Object(clientMembers)).properties,
    scopes: clientMembers.scopes,
    clientId: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: CLIENT_ID,
      description: 'printable ASCII, not a UUID',
    }),
    clientSecret: Type.Optional(Type.String({ minLength: 32, maxLength: 500 })),
  },
  { additionalProperties: false },
)
const UserEntry = Type.Object(
  {
    username: name(255),
    email: Type.Optional(Type.String({ format: 'email', maxLength: 320 })),
    firstName: Type.Optional(name(200)),
    lastName: Type.Optional(name(200)),
    externalIdentifier: Type.Optional(name(255)),
    enabled: Type.Optional(Type.Boolean()),
    roles: Type.Optional(clientMembers.roles),
    password: Type.Optional(Type.String({ minLength: 8, maxLength: 200 })),
  },
  { additionalProperties: false },
)
const claimName = Type.Optional(name(200))
const IdentityProviderEntry = Type.Object(
  {
    /** Part of the redirect URI PUBLIC_URL/sign-in/external/TENANT/NAME. */
    name: Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' }),
    displayName: Type.Optional(name(200)),
    issuer: Type.String({ format: 'uri', maxLength: 2000 }),
    clientId: name(500),
    clientSecret: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    scopes: Type.Optional(Type.Array(name(200), { maxItems: 50, uniqueItems: true })),
    /** Names of claims; with a leading slash, JSON pointers to them. */
    claims: Type.Optional(
      Type.Object(
        { username: claimName, email: claimName, roles: claimName, externalIdentifier: claimName },
        { additionalProperties: false },
      ),
    ),
    /** Roles of a person here, by the role that the provider states. */
    roles: Type.Optional(Type.Record(Type.String({ maxLength: 200 }), clientMembers.roles)),
    /** Whether a person who is unknown becomes a user. */
    createsUsers: Type.Optional(Type.Boolean()),
    signIn: Type.Optional(Type.Boolean()),
    acceptTokens: Type.Optional(Type.Boolean()),
    audience: Type.Optional(name(2000)),
    /**
     * Whether it decides which user a person is, also of users whose accounts are in use; true by default, since the
     * operator writes the file.
     */
    namesPeople: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
const TenantEntry = Type.Object(
  {
    slug: Type.String({
      pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
      description: 'a-z, 0-9 and inner hyphens, at most 63',
    }),
    name: name(200),
    settings: Type.Optional(TenantSettings),
    clients: Type.Optional(Type.Array(ClientEntry)),
    users: Type.Optional(Type.Array(UserEntry)),
    identityProviders: Type.Optional(Type.Array(IdentityProviderEntry, { maxItems: 50 })),
  },
  { additionalProperties: false },
)
/** The file. Its members are checked further: references, secrets, what may not be there twice. */
export const BootstrapFile = Type.Object({ tenants: Type.Array(TenantEntry) }, { additionalProperties: false })

/** The tenants, clients and users that a file declares, validated, with secrets resolved. Must not be logged. */
export type Bootstrap = Static<typeof BootstrapFile>
/** One tenant of a {@link Bootstrap}. */
export type TenantEntry = Static<typeof TenantEntry>
/** One client of a {@link TenantEntry}. */
export type ClientEntry = Static<typeof ClientEntry>
/** One user of a {@link TenantEntry}. */
export type UserEntry = Static<typeof UserEntry>

/** One external identity provider of a {@link TenantEntry}. */
export type IdentityProviderEntry = Static<typeof IdentityProviderEntry>

/** All mistakes of a bootstrap file: JSON pointers and rules, never a value. */
export class BootstrapMistakes extends Error {
  override readonly name = 'BootstrapMistakes'
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`the bootstrap file cannot be used:\n${mistakes.map((one) => `  - ${one}`).join('\n')}`)
    this.mistakes = mistakes
  }
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * Parses and validates a bootstrap file. Strict: an unknown member is a mistake.
 *
 * @param env The environment that `{"env": "NAME"}` in place of a secret refers to.
 * @throws BootstrapMistakes
 */
export function readBootstrap(text: string, env: Env): Bootstrap {
  const mistakes: string[] = []
  const resolved = withSecrets(parsed(text), env, '', mistakes)
  try {
    checkMaker()(BootstrapFile, 'body')(resolved)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    mistakes.push(...(error.violations ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`))
  }
  if (mistakes.length > 0) throw new BootstrapMistakes(mistakes)
  // The schema has just been checked.
  const file = resolved as unknown as Bootstrap
  const found = crossMistakes(file)
  if (found.length > 0) throw new BootstrapMistakes(found)
  return file
}

/** Returns the public keys of a client; null if it has none. @throws Fault `key.unsupported` */
export function keysOf({ jwks }: ClientEntry): PublicJwk[] | null {
  return jwks === undefined ? null : jwks.keys.map(readPublicJwk)
}

function parsed(text: string): Json {
  try {
    return parseJson(text, { valuesMax: Number.POSITIVE_INFINITY })
  } catch (error) {
    const detail = error instanceof Fault ? error.detail : undefined
    throw new BootstrapMistakes([detail ?? 'It is not well-formed JSON.'])
  }
}

const secretMembers = new Set(['clientSecret', 'password'])

/** Replaces `{"env": "NAME"}` by the value of the variable, at members that hold secrets only. */
function withSecrets(value: Json, env: Env, pointer: string, mistakes: string[]): Json {
  if (Array.isArray(value)) return value.map((one, index) => withSecrets(one, env, `${pointer}/${index}`, mistakes))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([key, one]): [string, Json] => {
    const at = pointerTo(pointer, key)
    return [key, secretMembers.has(key) ? secretAt(one, env, at, mistakes) : withSecrets(one, env, at, mistakes)]
  })
  return Object.fromEntries(members)
}

function secretAt(value: Json, env: Env, pointer: string, mistakes: string[]): Json {
  if (!isJsonObject(value)) return value
  const variable = memberOf(value, 'env')
  if (typeof variable !== 'string' || Object.keys(value).length !== 1) {
    mistakes.push(`${pointer}: must be a string or {"env": "NAME"}.`)
  } else {
    const found = env[variable]
    if (found !== undefined && found !== '') return found
    mistakes.push(`${pointer}: the environment variable ${variable} is not set.`)
  }
  // A placeholder, so that the schema does not report the same member a second time.
  return '-'.repeat(32)
}

function crossMistakes({ tenants }: Bootstrap): string[] {
  const clients = tenants.flatMap((tenant, t) =>
    (tenant.clients ?? []).map((client, c) => ({ client, at: `/tenants/${t}/clients/${c}` })),
  )
  return [
    ...twice(tenants.map(({ slug }, t) => [slug, `/tenants/${t}/slug`])),
    ...twice(clients.map(({ client, at }) => [client.clientId, `${at}/clientId`])),
    ...clients.flatMap(({ client, at }) => proofMistakes(client, at)),
    ...tenants.flatMap(({ settings = {} }, t) =>
      settingMistakes(settings).map(({ pointer, detail }) => `/tenants/${t}/settings${pointer}: ${detail}`),
    ),
    ...tenants.flatMap((tenant, t) => userMistakes(tenant.users ?? [], `/tenants/${t}/users`)),
    ...tenants.flatMap((tenant, t) =>
      providerMistakes(tenant.identityProviders ?? [], `/tenants/${t}/identityProviders`),
    ),
    ...twice(tenants.flatMap(({ identityProviders = [] }, t) => identityProviders.map((one, p) => claimOf(one, t, p)))),
  ]
}

function proofMistakes(client: ClientEntry, at: string): string[] {
  const proofs = [client.clientSecret, client.jwks, client.jwksUri].filter((one) => one !== undefined)
  if (client.isPublic === true && proofs.length > 0)
    return [`${at}: a public client has no clientSecret, jwks or jwksUri.`]
  if (client.isPublic !== true && proofs.length === 0) return [`${at}: clientSecret, jwks or jwksUri is needed.`]
  // The form of a secret made by the server is compared with those only.
  if (isMadeSecret(client.clientSecret ?? '')) return [`${at}/clientSecret: must not be a secret that the server made.`]
  try {
    const members = { ...clientDefaults, ...client, grantTypes: grantTypesOf(client), keys: keysOf(client) }
    return clientMistakes(members).map(({ pointer, detail }) => `${at}${pointer}: ${detail}`)
  } catch {
    return [`${at}/jwks: every key must be a P-256 or Ed25519 public key.`]
  }
}

function userMistakes(users: readonly UserEntry[], at: string): string[] {
  return [
    ...twice(users.map(({ username }, u) => [foldCase(username), `${at}/${u}/username`])),
    ...twice(users.map(({ email }, u) => [email === undefined ? undefined : foldCase(email), `${at}/${u}/email`])),
    ...twice(users.map(({ externalIdentifier }, u) => [externalIdentifier, `${at}/${u}/externalIdentifier`])),
  ]
}

function providerMistakes(providers: readonly IdentityProviderEntry[], at: string): string[] {
  return [
    ...twice(providers.map(({ name }, p) => [name, `${at}/${p}/name`])),
    ...providers.flatMap(({ acceptTokens, audience }, p) =>
      acceptTokens === true && audience === undefined ? [`${at}/${p}: acceptTokens needs an audience.`] : [],
    ),
  ]
}

/** Issuer and audience of access tokens name one provider of the whole file. */
function claimOf({ acceptTokens, issuer, audience }: IdentityProviderEntry, t: number, p: number) {
  const claim = acceptTokens === true && audience !== undefined ? `${issuer} ${audience}` : undefined
  return [claim, `/tenants/${t}/identityProviders/${p}/audience`] as const
}

function twice(values: readonly (readonly [value: string | undefined, at: string])[]): string[] {
  const seen = new Set<string>()
  return values.flatMap(([value, at]) => {
    if (value === undefined) return []
    if (seen.has(value)) return [`${at}: is in the file twice.`]
    seen.add(value)
    return []
  })
}
