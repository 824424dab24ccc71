import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import { remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { isUuid } from '../../uuid.ts'
import { type AskedCredential, askedCredentials } from '../templates/asked-credentials.ts'
import { getPresentationTemplate } from '../templates/template-store.ts'
import { findTenantOfPage, findVerificationPage } from './page-store.ts'
import type { VerificationPage } from './verification-page.ts'

type Needs = Pick<Platform, 'store' | 'urls' | 'clock' | 'memory' | 'rateLimiter'>

/** A page as visitors reach it. */
export type PublicPage = {
  readonly tenant: Tenant
  readonly page: VerificationPage
  readonly asks: readonly AskedCredential[]
  readonly purpose: string | null
}

/**
 * Returns the page that a path names, up to 5 s old. An address that looked for too many pages that do not exist is
 * refused for a minute.
 *
 * @throws Fault `resource.unknown`, `request.rate_limited`
 */
export async function getPublicPage(needs: Needs, id: string, ip: string): Promise<PublicPage> {
  const { rateLimiter, clock } = needs
  const now = clock.now()
  rateLimiter.admitAddress('verification.unknown_pages', ip, now)
  const found = isUuid(id) ? await findPublicPage(needs, id.toLowerCase()) : null
  // The cache of tenants notices a tenant that was disabled.
  const tenant = found === null ? null : await findTenantOf(needs, found.tenant.id)
  if (found !== null && tenant !== null) return { ...found, tenant }
  rateLimiter.countAddress('verification.unknown_pages', ip, now)
  throw new Fault('resource.unknown')
}

/** Forgets a page that this process changed. */
export function forgetPage(needs: Pick<Platform, 'memory'>, id: string): void {
  cacheOf(needs).delete(id.toLowerCase())
}

function findPublicPage(needs: Needs, id: string): Promise<PublicPage | null> {
  return remembered(cacheOf(needs), id, needs.clock.now(), () => readPage(needs, id))
}

async function readPage(needs: Needs, id: string): Promise<PublicPage | null> {
  const { store } = needs
  const tenantId = await store.across('verification page that a path names', (tx) => findTenantOfPage(tx, id))
  const tenant = tenantId === null ? null : await findTenantOf(needs, tenantId)
  if (tenant === null) return null
  const page = await store.single(tenant.id, (tx) => findVerificationPage(tx, id))
  if (page === null) return null
  if (page.isTemplateArchived) return { tenant, page, asks: [], purpose: null }
  const template = await store.single(tenant.id, (tx) => getPresentationTemplate(tx, page.presentationTemplateId))
  const asks = await askedCredentials(needs, tenant, template.credentials)
  return { tenant, page, asks, purpose: template.verifierConfig?.purpose ?? null }
}

function cacheOf({ memory }: Pick<Platform, 'memory'>) {
  return memory.cache<Promise<PublicPage | null>>('verification.pages')
}
