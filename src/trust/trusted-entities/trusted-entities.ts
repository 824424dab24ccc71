import type { ListRequest } from '../../api/list.ts'
import type { Caller, TenantId } from '../../caller.ts'
import type { TrustedEntityBody } from '../../contract/trust/trusted-entities.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { isUuid, knownId } from '../../uuid.ts'
import { readTrustedEntity } from './read-trusted-entity.ts'
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

type Needs = Pick<Platform, 'store' | 'clock' | 'config' | 'memory'>

/** Creates a trusted entity. @throws Fault `request.invalid`, `certificate.invalid` */
export async function createTrustedEntity(
  needs: Needs,
  caller: Caller,
  body: TrustedEntityBody,
  id = newId(),
): Promise<TrustedEntity> {
  const { store, clock } = needs
  const now = clock.now()
  const content = readTrustedEntity(body, await readingPolicy(needs, caller), now)
  const entry = entryOf('created', id, caller)
  const made = await store.single(caller.tenantId, (tx) => insertTrustedEntity(tx, id, content, entry, now))
  forgetTrust(needs, caller.tenantId)
  return made
}

async function readingPolicy(needs: Needs, { tenantId }: Caller) {
  const { trusting } = await findPolicyOf(needs, tenantId)
  return { allowHttpLoopback: needs.config.isDevelopment, allowPinned: trusting.acceptsPinnedCertificates }
}

/**
 * Replaces a trusted entity entirely.
 *
 * @param isExpected Whether the entity is still the one that the change was made from.
 * @throws Fault `request.invalid`, `certificate.invalid`, `resource.unknown`, `resource.changed`
 */
export async function updateTrustedEntity(
  needs: Needs,
  caller: Caller,
  id: string,
  body: TrustedEntityBody,
  isExpected?: (current: TrustedEntity) => boolean,
): Promise<TrustedEntity> {
  const { store, clock } = needs
  const now = clock.now()
  const content = readTrustedEntity(body, await readingPolicy(needs, caller), now)
  const current = isExpected === undefined ? null : await getTrustedEntity(needs, caller, id)
  if (current !== null && isExpected?.(current) === false) throw new Fault('resource.changed')
  const from = current?.updatedAt ?? null
  const entry = entryOf('replaced', knownId(id), caller)
  const changed = await store.inTenant(caller.tenantId, (tx) => replaceTrustedEntity(tx, id, content, from, entry, now))
  if (changed === null) throw new Fault(current === null ? 'resource.unknown' : 'resource.changed')
  forgetTrust(needs, caller.tenantId)
  return changed
}

/**
 * Deletes a trusted entity: its DIDs, certificates and addresses are no longer trusted. A template that names only this
 * entity accepts no issuer.
 *
 * @throws Fault `resource.unknown`
 */
export async function removeTrustedEntity(needs: Needs, caller: Caller, id: string): Promise<void> {
  const { store, clock } = needs
  const entry = entryOf('deleted', knownId(id), caller)
  await store.inTenant(caller.tenantId, (tx) => deleteTrustedEntity(tx, id, entry, clock.now()))
  forgetTrust(needs, caller.tenantId)
}

/** @throws Fault `resource.unknown` */
export async function getTrustedEntity({ store }: Needs, { tenantId }: Caller, id: string): Promise<TrustedEntity> {
  return store.single(tenantId, (tx) => getTrustedEntityRow(tx, knownId(id)))
}

/** Returns one page, and one row more if there is a next page. `id`: one or several, separated by commas. */
export async function listTrustedEntities(
  { store }: Needs,
  { tenantId }: Caller,
  request: ListRequest,
  { id, ...filter }: { readonly [name in 'id' | 'did' | 'name']?: string | undefined },
): Promise<TrustedEntity[]> {
  return store.single(tenantId, (tx) => listTrustedEntityRows(tx, request, { ...filter, ids: id?.split(',') }))
}

/** Returns those of the ids that are not trusted entities of the tenant. No statement for an empty list. */
export async function unknownTrustedEntities(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const possible = ids.filter((id) => isUuid(id)).map((id) => id.toLowerCase())
  const there = possible.length === 0 ? [] : await store.single(tenantId, (tx) => existingTrustedEntities(tx, possible))
  return new Set(ids.filter((id) => !there.includes(id.toLowerCase())))
}

function entryOf(change: 'created' | 'replaced' | 'deleted', id: string, by: Caller): AuditEntry {
  return { action: `trusted_entity.${change}`, subject: { kind: 'trusted_entity', id }, by }
}
