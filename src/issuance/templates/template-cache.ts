import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { Recent } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { oncePer } from '../../store/once-per.ts'
import type { CredentialTemplate } from './template.ts'
import { findCurrent, findVersion } from './template-store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>
/** An id says whose it is only together with the tenant. */
type Kept = { readonly tenantId: TenantId; readonly template: CredentialTemplate }

const BOUNDS = { entriesMax: 2000, ttlMs: 3_600_000 } as const

const cacheOf = oncePer(() => ({ current: new Recent<Kept>(BOUNDS), versions: new Recent<CredentialTemplate>(BOUNDS) }))

/**
 * The current version of a template, as far as this process knows: an insert that depends on it checks the version again, and
 * {@link latestTemplate} gets the newest.
 *
 * @throws Fault `resource.unknown`
 */
export async function cachedTemplate(needs: Needs, tenantId: TenantId, id: string): Promise<CredentialTemplate> {
  return currentOf(needs, tenantId, id) ?? latestTemplate(needs, tenantId, id)
}

function currentOf({ store, clock }: Needs, tenantId: TenantId, id: string): CredentialTemplate | null {
  const kept = cacheOf(store).current.get(id, clock.now())
  return kept?.tenantId === tenantId ? kept.template : null
}

/** The current version of a template, archived or not. @throws Fault `resource.unknown` */
export async function latestTemplate(needs: Needs, tenantId: TenantId, id: string): Promise<CredentialTemplate> {
  const found = await needs.store.single(tenantId, (tx) => findCurrent(tx, id))
  if (found === null) throw new Fault('resource.unknown', { detail: 'There is no such credential template.' })
  cacheTemplate(needs, tenantId, found)
  return found
}

/** Keeps a version that was just read or written. */
export function cacheTemplate({ store, clock }: Needs, tenantId: TenantId, template: CredentialTemplate): void {
  const { current, versions } = cacheOf(store)
  current.set(template.id, { tenantId, template }, clock.now())
  versions.set(nameOf(tenantId, template.id, template.version), template, clock.now())
}

/** The version of a template that an issuance was made from. Versions never change, so one that is kept is right. */
export async function templateVersion(
  needs: Needs,
  tenantId: TenantId,
  id: string,
  version: number,
): Promise<CredentialTemplate> {
  const { store, clock } = needs
  const current = currentOf(needs, tenantId, id)
  if (current?.version === version) return current
  const { versions } = cacheOf(store)
  const name = nameOf(tenantId, id, version)
  const known = versions.get(name, clock.now())
  if (known !== undefined) return known
  const found = await store.single(tenantId, (tx) => findVersion(tx, id, version))
  if (found === null) throw new Error('the template of an issuance is gone')
  versions.set(name, found, clock.now())
  return found
}

function nameOf(tenantId: TenantId, id: string, version: number): string {
  return `${tenantId}|${id}|${version}`
}
