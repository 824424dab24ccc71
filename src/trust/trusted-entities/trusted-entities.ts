import type { ListRequest } from '../../api/list.ts'
import type { Caller, TenantId } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { isUuid, knownId } from '../../uuid.ts'
import { readTrustedEntity } from './read-trusted-entity.ts'
import type { TrustedEntityBody } from './schemas.ts'
import { forgetTrust } from './tenant-trust.ts'
import type { TrustedEntity } from './trusted-entity.ts'
import {
  deleteTrustedEntity,
  existingTrustedEntities,
  getTrustedEntityRow,
  insertTrustedEntity,
  listTrustedEntityRows,
  replaceTrustedEntity,
} from './trusted-entity-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'config'>

/** Adds somebody whom the tenant trusts. @throws Fault `request.invalid`, `certificate.invalid` */
export async function createTrustedEntity(
  needs: Needs,
  caller: Caller,
  body: TrustedEntityBody,
  id = newId(),
): Promise<TrustedEntity> {
  const { store, clock, config } = needs
  const now = clock.now()
  const content = readTrustedEntity(body, { allowHttpLoopback: config.isDevelopment }, now)
  const entry = entryOf('created', id, caller)
  const made = await store.single(caller.tenantId, (tx) => insertTrustedEntity(tx, id, content, entry, now))
  forgetTrust(needs, caller.tenantId)
  return made
}

/** Replaces all that is said of an entity. @throws Fault `request.invalid`, `certificate.invalid`, `resource.unknown` */
export async function updateTrustedEntity(
  needs: Needs,
  caller: Caller,
  id: string,
  body: TrustedEntityBody,
): Promise<TrustedEntity> {
  const { store, clock, config } = needs
  const now = clock.now()
  const content = readTrustedEntity(body, { allowHttpLoopback: config.isDevelopment }, now)
  const entry = entryOf('replaced', knownId(id), caller)
  const changed = await store.single(caller.tenantId, (tx) => replaceTrustedEntity(tx, id, content, entry, now))
  forgetTrust(needs, caller.tenantId)
  return changed
}

/**
 * Takes an entity away: whatever it vouched for is no longer trusted. Templates that name it trust one less; one that names only it
 * trusts nobody.
 *
 * @throws Fault `resource.unknown`
 */
export async function removeTrustedEntity(needs: Needs, caller: Caller, id: string): Promise<void> {
  const { store, clock } = needs
  const entry = entryOf('deleted', knownId(id), caller)
  await store.single(caller.tenantId, (tx) => deleteTrustedEntity(tx, id, entry, clock.now()))
  forgetTrust(needs, caller.tenantId)
}

/** @throws Fault `resource.unknown` */
export async function getTrustedEntity({ store }: Needs, { tenantId }: Caller, id: string): Promise<TrustedEntity> {
  return store.single(tenantId, (tx) => getTrustedEntityRow(tx, knownId(id)))
}

/** One page. `limit` one more than a page: see `listAnswer`. */
export async function listTrustedEntities(
  { store }: Needs,
  { tenantId }: Caller,
  ask: ListRequest,
  filter: { readonly did?: string | undefined; readonly name?: string | undefined },
): Promise<TrustedEntity[]> {
  return store.single(tenantId, (tx) => listTrustedEntityRows(tx, ask, filter))
}

/** Those of the ids that are no trusted entities of the tenant. Nothing is asked for an empty list. */
export async function unknownTrustedEntities(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const possible = ids.filter((id) => isUuid(id)).map((id) => id.toLowerCase())
  const there = possible.length === 0 ? [] : await store.single(tenantId, (tx) => existingTrustedEntities(tx, possible))
  return new Set(ids.filter((id) => !there.includes(id.toLowerCase())))
}

function entryOf(what: 'created' | 'replaced' | 'deleted', id: string, by: Caller): AuditEntry {
  return { action: `trusted_entity.${what}`, subject: { kind: 'trusted_entity', id }, by }
}
