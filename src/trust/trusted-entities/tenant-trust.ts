import type { TenantId } from '../../caller.ts'
import { readPem } from '../../crypto/x509/pem.ts'
import { type Anchor, type AnchorSet, anchorSetOf, type Purpose } from '../../crypto/x509-path/anchor.ts'
import type { Platform } from '../../platform.ts'
import { ownAnchors } from '../certificates/own-anchors.ts'
import type { TrustedEntity } from './trusted-entity.ts'
import { allTrustedEntities, trustStamp } from './trusted-entity-store.ts'

/** What reading a tenant's trust needs. */
export type TrustSource = Pick<Platform, 'store' | 'clock' | 'memory'>

/** The trust of a tenant. `anchors`: those of its trusted entities and its own roots. */
type Trust = {
  readonly entities: readonly TrustedEntity[]
  readonly anchors: readonly Anchor[]
  readonly set: AnchorSet
}
type Read = { readonly stamp: string; readonly entities: readonly TrustedEntity[]; readonly anchors: readonly Anchor[] }

/** `own`: the tenant's own anchors in it; it is rebuilt when those change. */
type FreshTrust = { readonly own: Promise<readonly Anchor[]>; readonly trust: Promise<Trust> }

/**
 * Returns the certificates that chains may end at, up to 5 s old.
 *
 * @param entityIds Only those of these entities; by default all, and the tenant's own roots.
 */
export async function trustedAnchors(
  source: TrustSource,
  tenantId: TenantId,
  entityIds?: readonly string[],
): Promise<AnchorSet> {
  const { anchors, set } = await trustOf(source, tenantId)
  if (entityIds === undefined) return set
  return anchorSetOf(anchors.filter(({ owner }) => entityIds.includes(owner)))
}

/**
 * Returns the entities that are trusted for a purpose, up to 5 s old.
 *
 * @param entityIds Only these; by default all.
 */
export async function trustedEntitiesFor(
  source: TrustSource,
  tenantId: TenantId,
  purpose: Purpose,
  entityIds?: readonly string[],
): Promise<readonly TrustedEntity[]> {
  const { entities } = await trustOf(source, tenantId)
  return entities.filter((one) => one.purposes.includes(purpose) && (entityIds?.includes(one.id) ?? true))
}

/** Discards the cached trust of a tenant, so that a change made by this process counts at once. */
export function forgetTrust(needs: Pick<Platform, 'memory'>, tenantId: TenantId): void {
  cacheOf(needs).delete(tenantId)
}

function cacheOf({ memory }: Pick<Platform, 'memory'>) {
  return memory.cache<FreshTrust>('trust.tenant_trust')
}

/** Concurrent calls share one look-up; a failure is not cached. */
function trustOf(source: TrustSource, tenantId: TenantId): Promise<Trust> {
  const cache = cacheOf(source)
  const now = source.clock.now()
  const own = ownAnchors(source, tenantId)
  const found = cache.get(tenantId, now)
  if (found?.own === own) return found.trust
  const trust = load(source, tenantId, now, own)
  cache.set(tenantId, { own, trust }, now)
  trust.catch(() => cache.delete(tenantId))
  return trust
}

async function load(source: TrustSource, tenantId: TenantId, now: Date, own: FreshTrust['own']): Promise<Trust> {
  const { entities, anchors: theirs } = await readEntities(source, tenantId, now)
  const anchors = [...theirs, ...(await own)]
  return { entities, anchors, set: anchorSetOf(anchors) }
}

async function readEntities({ store, memory }: TrustSource, tenantId: TenantId, now: Date): Promise<Read> {
  const cache = memory.cache<Read>('trust.trusted_entities')
  const stamp = await store.single(tenantId, trustStamp)
  const known = cache.get(tenantId, now)
  if (known?.stamp === stamp) return known
  const entities = await store.single(tenantId, allTrustedEntities)
  const anchors = entities.flatMap(({ id, purposes, signerUsages, certificates }) =>
    certificates.map((pem) => ({ certificate: readPem(pem), purposes, signerUsages, owner: id })),
  )
  const made = { stamp, entities, anchors }
  cache.set(tenantId, made, now)
  return made
}
