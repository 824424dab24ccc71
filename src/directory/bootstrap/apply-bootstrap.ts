import type { TenantId } from '../../caller.ts'
import { record } from '../../events/audit/record.ts'
import { hashPassword, isPasswordOf } from '../../keys/password-hash.ts'
import { hashSecret, isSecretOf } from '../../keys/secret-hash.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { isUniqueViolation } from '../../store/unique-violation.ts'
import { clientDefaults, grantTypesOf } from '../clients/client.ts'
import { type ClientPut, findClientOwner, putClient, releaseClients } from '../clients/client-store.ts'
import { forgetTenants } from '../tenants/find-tenant.ts'
import {
  findTenantIdBySlug,
  insertTenant,
  isRemovedSlug,
  listFileTenants,
  lockTenant,
  renameTenant,
  setFileMembers,
  setTenantSettings,
} from '../tenants/tenant-store.ts'
import { enqueueEndOfSessions } from '../users/end-sign-in.ts'
import { findPasswordHash, isDeletedUser, putUser, type UserPut } from '../users/put-user-store.ts'
import {
  type Bootstrap,
  BootstrapMistakes,
  type ClientEntry,
  keysOf,
  type TenantEntry,
  type UserEntry,
} from './bootstrap-file.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory' | 'log'>

/** How many tenants, clients and users together were created, and how many changed. */
type BootstrapResult = { readonly created: number; readonly changed: number }

type Count = { created: number; changed: number }

/**
 * Applies a bootstrap file: creates what is missing, changes what differs, and leaves alone what the file does not
 * mention. A user who was deleted stays deleted until the wallet is destroyed. Idempotent, also when several processes
 * apply it concurrently. Each change is recorded in the audit trail.
 * A tenant that was removed is left out, with a warning in the log.
 *
 * @throws BootstrapMistakes if a client id belongs to another tenant, or a user's e-mail address or external identifier
 *   to another user.
 */
export async function applyBootstrap(needs: Needs, { tenants }: Bootstrap): Promise<BootstrapResult> {
  const count: Count = { created: 0, changed: 0 }
  for (const [index, tenant] of tenants.entries()) {
    if (await isRemoved(needs, tenant)) continue
    await applyTenant(needs, tenant, `/tenants/${index}`, count)
  }
  await releaseTenants(
    needs,
    tenants.map(({ slug }) => slug),
  )
  forgetTenants(needs)
  return count
}

/** Its slug is part of issuer identifiers, so another organisation may not get it. */
async function isRemoved({ store, log }: Needs, { slug }: TenantEntry): Promise<boolean> {
  const isTaken = await store.across('whether a tenant of a bootstrap file was removed', (tx) =>
    isRemovedSlug(tx, slug),
  )
  if (isTaken) log.warn({ slug }, 'the bootstrap file declares a tenant that was removed: it is not made again')
  return isTaken
}

async function applyTenant(needs: Needs, tenant: TenantEntry, at: string, count: Count): Promise<void> {
  const tenantId = await ensureTenant(needs, tenant, count)
  const clients: ClientPut[] = []
  const users: UserPut[] = []
  for (const [c, client] of (tenant.clients ?? []).entries()) {
    clients.push(await clientPut(needs, tenantId, client, `${at}/clients/${c}`))
  }
  for (const user of tenant.users ?? []) users.push(await userPut(needs, tenantId, user))
  const now = needs.clock.now()
  await needs.store.inTenant(tenantId, async (tx) => {
    // Otherwise two processes that create the same users would violate the unique e-mail addresses.
    await lockTenant(tx)
    for (const client of clients) await applyClient(tx, client, now, count)
    await releaseClients(
      tx,
      clients.map(({ clientId }) => clientId),
    )
    for (const [u, user] of users.entries()) await applyUser(tx, user, now, `${at}/users/${u}`, count)
  })
}

async function ensureTenant({ store, clock }: Needs, entry: TenantEntry, count: Count): Promise<TenantId> {
  const { slug, name, settings = {} } = entry
  const now = clock.now()
  const create = async () => {
    // Only here and in the token check does a string become a tenant's id.
    const id = newId() as TenantId
    const isNew = await store.inTenant(id, async (tx) => {
      const inserted = await insertTenant(tx, { slug, name, now })
      if (!inserted) return false
      await setTenantSettings(tx, settings, now)
      await record(tx, entryOf('tenant', 'created', id), now)
      return true
    })
    if (isNew) count.created += 1
    return isNew ? id : find()
  }
  const find = () => store.across('tenant of a bootstrap file', (tx) => findTenantIdBySlug(tx, slug))
  const found = (await find()) ?? (await create())
  if (found === null) throw new Error('a tenant was deleted while it was created')
  await store.inTenant(found, async (tx) => {
    const isRenamed = await renameTenant(tx, name, now)
    const isSet = await setTenantSettings(tx, settings, now)
    await setFileMembers(tx, ['name', ...Object.keys(settings)])
    if (!isRenamed && !isSet) return
    await record(tx, entryOf('tenant', 'changed', found), now)
    count.changed += 1
  })
  return found
}

/** The API may change everything of the tenants that the file does not declare any more. */
async function releaseTenants({ store }: Needs, slugs: readonly string[]): Promise<void> {
  const governed = await store.across('tenants that a bootstrap file declared', (tx) => listFileTenants(tx, slugs))
  for (const id of governed) await store.inTenant(id, (tx) => setFileMembers(tx, []))
}

/** Computes slow hashes before any transaction begins. */
async function clientPut({ store }: Needs, tenantId: TenantId, client: ClientEntry, at: string): Promise<ClientPut> {
  const { clientId, clientSecret, jwks: _, ...members } = client
  const owner = await store.across('owner of a client id', (tx) => findClientOwner(tx, clientId))
  if (owner !== null && owner.tenantId !== tenantId) {
    throw new BootstrapMistakes([`${at}/clientId: belongs to another tenant.`])
  }
  const replaces = owner?.secretHash ?? null
  const secretHash = await newHash(clientSecret, replaces, isSecretOf, (secret) => hashSecret(secret, 'secret'))
  return {
    ...clientDefaults,
    ...members,
    clientId,
    grantTypes: grantTypesOf(client),
    secretHash,
    replaces,
    keys: keysOf(client),
  }
}

async function userPut({ store }: Needs, tenantId: TenantId, user: UserEntry): Promise<UserPut> {
  const { username, password } = user
  const replaces = password === undefined ? null : await store.single(tenantId, (tx) => findPasswordHash(tx, username))
  return {
    username,
    email: user.email ?? null,
    firstName: user.firstName ?? null,
    lastName: user.lastName ?? null,
    externalIdentifier: user.externalIdentifier ?? null,
    enabled: user.enabled ?? null,
    roles: user.roles ?? null,
    passwordHash: await newHash(password, replaces, isPasswordOf, hashPassword),
    replaces,
  }
}

/** Returns a hash to store; null if there is no secret or the stored hash is that of the secret. */
async function newHash(
  secret: string | undefined,
  stored: string | null,
  isOf: (stored: string, secret: string) => Promise<boolean>,
  hash: (secret: string) => Promise<string>,
): Promise<string | null> {
  if (secret === undefined) return null
  if (stored !== null && (await isOf(stored, secret))) return null
  return hash(secret)
}

async function applyClient(tx: TenantTx, client: ClientPut, now: Date, count: Count): Promise<void> {
  const what = await putClient(tx, client, now)
  if (what === null) return
  await record(tx, entryOf('client', what, client.clientId), now)
  count[what] += 1
}

async function applyUser(tx: TenantTx, user: UserPut, now: Date, at: string, count: Count): Promise<void> {
  // Otherwise a restart of the server would undo what the organisation did to a person.
  if (await isDeletedUser(tx, user.username)) return
  const put = await putUser(tx, user, now).catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error
    throw new BootstrapMistakes([`${at}: the email or the externalIdentifier belongs to another user.`])
  })
  if (put === null) return
  const what = put.created ? 'created' : 'changed'
  await record(tx, entryOf('user', what, put.id), now)
  if (what === 'changed' && user.enabled === false) await enqueueEndOfSessions(tx, put.id, now)
  count[what] += 1
}

function entryOf(kind: 'tenant' | 'client' | 'user', what: 'created' | 'changed', id: string) {
  return { action: `${kind}.${what}`, subject: { kind, id }, by: 'system' } as const
}
