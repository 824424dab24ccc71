import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { catalogVersion } from './catalog-lease.ts'
import type { CredentialTemplate } from './template.ts'
import { findByCodes, findCurrent, findVersion } from './template-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory'>
/** With the tenant: an id alone says nothing about access. */
type Kept = { readonly tenantId: TenantId; readonly template: CredentialTemplate }

/** `version`: of the catalog, read before the template. */
type Named = { readonly version: number; readonly template: CredentialTemplate }

const currentCache = ({ memory }: Needs) => memory.cache<Kept>('issuance.current_templates')
const versionCache = ({ memory }: Needs) => memory.cache<CredentialTemplate>('issuance.template_versions')
const namedCache = ({ memory }: Needs) => memory.cache<Named>('issuance.templates_by_code')

/**
 * Returns the current versions of the templates with these codes, archived or not, from the cache if they are as new as
 * the version of the catalog that {@link catalogVersion} returns.
 */
export async function templatesByCode(
  needs: Needs,
  tenantId: TenantId,
  codes: readonly string[],
): Promise<readonly CredentialTemplate[]> {
  const [cache, now] = [namedCache(needs), needs.clock.now()]
  const version = await catalogVersion(needs, tenantId)
  const kept = codes.map((code) => cache.get(`${tenantId}|${code}`, now))
  const current = kept.flatMap((one) => (one?.version === version ? [one.template] : []))
  if (current.length === codes.length) return current
  const found = await needs.store.single(tenantId, (tx) => findByCodes(tx, codes))
  for (const template of found) cache.set(`${tenantId}|${template.code}`, { version, template }, now)
  return found
}

/**
 * Returns the current version of a template, from the cache if it is there. It may be outdated: an insert that depends
 * on it checks the version again, and {@link latestTemplate} reads the newest.
 *
 * @throws Fault `resource.unknown`
 */
export async function cachedTemplate(needs: Needs, tenantId: TenantId, id: string): Promise<CredentialTemplate> {
  return currentOf(needs, tenantId, id) ?? latestTemplate(needs, tenantId, id)
}

function currentOf(needs: Needs, tenantId: TenantId, id: string): CredentialTemplate | null {
  const kept = currentCache(needs).get(id, needs.clock.now())
  return kept?.tenantId === tenantId ? kept.template : null
}

/** Reads the current version of a template, archived or not, and caches it. @throws Fault `resource.unknown` */
export async function latestTemplate(needs: Needs, tenantId: TenantId, id: string): Promise<CredentialTemplate> {
  const found = await needs.store.single(tenantId, (tx) => findCurrent(tx, id))
  if (found === null) throw new Fault('resource.unknown', { detail: 'There is no such credential template.' })
  cacheTemplate(needs, tenantId, found)
  return found
}

/** Caches a version that was just read or written. */
export function cacheTemplate(needs: Needs, tenantId: TenantId, template: CredentialTemplate): void {
  const now = needs.clock.now()
  currentCache(needs).set(template.id, { tenantId, template }, now)
  versionCache(needs).set(nameOf(tenantId, template.id, template.version), template, now)
}

/**
 * Returns the version of a template that an issuance was created from. Versions never change, so a cached one is never
 * outdated.
 */
export async function templateVersion(
  needs: Needs,
  tenantId: TenantId,
  id: string,
  version: number,
): Promise<CredentialTemplate> {
  const { store, clock } = needs
  const current = currentOf(needs, tenantId, id)
  if (current?.version === version) return current
  const versions = versionCache(needs)
  const name = nameOf(tenantId, id, version)
  const cached = versions.get(name, clock.now())
  if (cached !== undefined) return cached
  const found = await store.single(tenantId, (tx) => findVersion(tx, id, version))
  if (found === null) throw new Error('the template version of an issuance is missing')
  versions.set(name, found, clock.now())
  return found
}

function nameOf(tenantId: TenantId, id: string, version: number): string {
  return `${tenantId}|${id}|${version}`
}
