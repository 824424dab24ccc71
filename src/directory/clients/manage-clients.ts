import { type Caller, holds } from '../../caller.ts'
import type { AuditAction } from '../../contract/events/vocabulary.ts'
import type { AuditEntry, Detail } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { grantableRoles } from '../users/authority.ts'
import { checkConsent, checkGrants, clientMistakes } from './check-client.ts'
import { clientDefaults, grantTypesOf } from './client.ts'
import type { ClientMembers, ClientRecord } from './client-record.ts'
import { makeClientSecret } from './client-secret.ts'
import { addClientSecret, countEndingSecrets, endClientSecret } from './client-secret-store.ts'
import { deleteClientRow, findManagedClient, insertClient, updateClient } from './managed-client-store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>

/** A client with a new secret, which is shown only once. */
type ClientWithSecret = { readonly client: ClientRecord; readonly secret: string }

/** A client as it was created; `secret` is null if it has none. */
export type CreatedClient = Omit<ClientWithSecret, 'secret'> & { readonly secret: string | null }

/** Clients of one tenant. */
const CLIENTS_MAX = 1000
const OVERLAP_SECONDS = 86_400

/**
 * Creates a client. It gets a secret unless it is public or has keys.
 *
 * @throws Fault `request.invalid`, `role.above_caller`, `state.conflict` if the tenant has 1,000 clients
 */
export async function createClient(
  { store, clock }: Needs,
  caller: Caller,
  given: Partial<ClientMembers>,
  id: string,
): Promise<CreatedClient> {
  const members = checked(caller, { ...clientDefaults, disabled: false, ...given, grantTypes: grantTypesOf(given) })
  checkConsent(caller, members)
  const clientId = clientIdOf(id)
  const now = clock.now()
  return store.inTenant(caller.tenantId, async (tx) => {
    const row = { id, clientId, countMax: CLIENTS_MAX }
    if (!(await insertClient(tx, row, members, entryOf('client.created', clientId, caller), now))) {
      throw new Fault('state.conflict', { detail: `A tenant can have at most ${CLIENTS_MAX} clients.` })
    }
    const secret = needsSecret(members) ? await addSecret(tx, caller, clientId, 0, now) : null
    return { client: await reread(tx, clientId, now), secret }
  })
}

/**
 * Returns the client that an earlier attempt of the same request created, with another secret: the caller never
 * received the first one.
 *
 * @throws Fault `resource.unknown`
 */
export async function recreateClient(needs: Needs, caller: Caller, id: string): Promise<CreatedClient> {
  const client = await getClient(needs, caller, clientIdOf(id))
  return needsSecret(client) ? rotateClientSecret(needs, caller, client.clientId, 0) : { client, secret: null }
}

/** @throws Fault `resource.unknown` */
export async function getClient({ store, clock }: Needs, caller: Caller, clientId: string): Promise<ClientRecord> {
  const found = await store.single(caller.tenantId, (tx) => findManagedClient(tx, clientId, clock.now()))
  if (found === null) throw new Fault('resource.unknown')
  return found
}

/**
 * Changes the members that are given. Whether a client is public does not change.
 *
 * @param isExpected Whether the client is still the one that the change was made from; every state by default.
 * @throws Fault `resource.unknown`, `resource.changed` if it is not the expected one, `state.conflict` if the bootstrap
 *   file declares the client, `request.invalid`, `role.above_caller` also if the client has more than the caller could
 *   give
 */
export async function changeClient(
  { store, clock }: Needs,
  caller: Caller,
  clientId: string,
  given: Partial<ClientMembers>,
  isExpected?: (current: ClientRecord) => boolean,
): Promise<ClientRecord> {
  const now = clock.now()
  return store.inTenant(caller.tenantId, async (tx) => {
    const client = await lockClient(tx, caller, clientId, now)
    if (isExpected?.(client) === false) throw new Fault('resource.changed')
    refuseFileMembers(client, given)
    const members = checked(caller, { ...client, ...given })
    // Every caller who may change the client may also stop it.
    if (Object.keys(given).some((name) => name !== 'disabled')) checkConsent(caller, members)
    const entry = entryOf('client.changed', clientId, caller, { members: Object.keys(given) })
    await updateClient(tx, client, members, entry, now)
    return reread(tx, clientId, now)
  })
}

/**
 * Deletes a client with its secrets.
 *
 * @throws Fault `resource.unknown`, `role.above_caller`, `state.conflict` if the bootstrap file declares the client and
 *   would create it again
 */
export async function deleteClient({ store, clock }: Needs, caller: Caller, clientId: string): Promise<void> {
  const now = clock.now()
  await store.inTenant(caller.tenantId, async (tx) => {
    const { isOfFile } = await lockClient(tx, caller, clientId, now)
    if (isOfFile) {
      const detail =
        'The bootstrap file declares this client and would create it when it is applied again. Disable it, or ' +
        'remove it there first.'
      throw new Fault('state.conflict', { detail })
    }
    const entry = entryOf('client.deleted', clientId, caller)
    await deleteClientRow(tx, clientId, entry, now)
  })
}

/**
 * Adds a secret. The former one ends after `overlapSeconds`, a day by default; an earlier one ends now.
 *
 * @throws Fault `resource.unknown`, `role.above_caller`, `state.invalid` if the client is public or has keys
 */
export async function rotateClientSecret(
  { store, clock }: Needs,
  caller: Caller,
  clientId: string,
  overlapSeconds = OVERLAP_SECONDS,
): Promise<ClientWithSecret> {
  const now = clock.now()
  return store.inTenant(caller.tenantId, async (tx) => {
    const client = await lockClient(tx, caller, clientId, now)
    checkConsent(caller, client)
    if (!needsSecret(client)) {
      throw new Fault('state.invalid', { detail: 'A client that is public or has keys has no secret.' })
    }
    const secret = await addSecret(tx, caller, clientId, overlapSeconds, now)
    return { client: await reread(tx, clientId, now), secret }
  })
}

/** Ends a secret now. @throws Fault `resource.unknown`, `role.above_caller` */
export async function removeClientSecret(
  { store, clock }: Needs,
  caller: Caller,
  clientId: string,
  secretId: string,
): Promise<void> {
  const now = clock.now()
  const entry = entryOf('client.secret_deleted', clientId, caller, { secretId })
  await store.inTenant(caller.tenantId, async (tx) => {
    await lockClient(tx, caller, clientId, now)
    if (!(await endClientSecret(tx, clientId, secretId, entry, now))) throw new Fault('resource.unknown')
  })
}

/**
 * Locks a client whose every scope and role the caller could give, before the caller changes how it authenticates or
 * what it may do.
 *
 * @throws Fault `resource.unknown`, `role.above_caller`
 */
export async function lockClient(tx: TenantTx, caller: Caller, clientId: string, now: Date): Promise<ClientRecord> {
  const client = await findManagedClient(tx, clientId, now, true)
  if (client === null) throw new Fault('resource.unknown')
  const given = grantableRoles(caller)
  if (!client.scopes.every((one) => holds(caller, one)) || !client.roles.every((one) => given.includes(one))) {
    throw new Fault('role.above_caller', { detail: 'The client may do more than you may give.' })
  }
  return client
}

/** The file decides everything about its clients but whether they are disabled: applied again it undoes the change. */
function refuseFileMembers({ isOfFile }: ClientRecord, given: Partial<ClientMembers>): void {
  const governed = Object.entries(given).filter(([name, value]) => name !== 'disabled' && value !== undefined)
  if (!isOfFile || governed.length === 0) return
  const detail =
    'The bootstrap file declares this client and would undo the change when it is applied again. Change it there.'
  const violations = governed.map(([name]) => ({ pointer: `/${name}`, detail, rule: 'file.declared' as const }))
  throw new Fault('state.conflict', { detail, violations })
}

function checked(caller: Caller, members: ClientMembers): ClientMembers {
  checkGrants(caller, members.scopes, members.roles)
  const violations = clientMistakes(members)
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  return members
}

async function addSecret(tx: TenantTx, caller: Caller, clientId: string, overlapSeconds: number, now: Date) {
  const { text, hash } = makeClientSecret()
  const id = newId()
  const entry = entryOf('client.secret_created', clientId, caller, { secretId: id, overlapSeconds })
  await addClientSecret(tx, { id, clientId, hash }, new Date(now.getTime() + overlapSeconds * 1000), entry, now)
  return text
}

async function reread(tx: TenantTx, clientId: string, now: Date): Promise<ClientRecord> {
  const client = await findManagedClient(tx, clientId, now)
  if (client === null) throw new Error('a client that was written is not there')
  return client
}

function needsSecret({ isPublic, keys, jwksUri }: ClientMembers): boolean {
  return !isPublic && keys === null && jwksUri === null
}

/** Never the form of a user id: the subject of a token is one or the other. */
function clientIdOf(id: string): string {
  return `client-${id}`
}

function entryOf(action: AuditAction, clientId: string, by: Caller, detail: Detail = {}): AuditEntry {
  return { action, subject: { kind: 'client', id: clientId }, by, detail }
}

/** Counts the SCIM tokens of the tenant that end until a time, and the clients whose every secret does. */
export function endingSecrets(tx: TenantTx, now: Date, until: Date): Promise<number> {
  return countEndingSecrets(tx, now, until)
}
