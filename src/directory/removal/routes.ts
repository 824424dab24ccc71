import { routeGroup } from '../../api/route-group.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { getPlatformTenant } from './list-tenants.ts'
import { listPlatformTenants } from './removal-store.ts'
import { removeTenant } from './remove-tenant.ts'
import { showTenant, TenantListQuery, TenantReply } from './schemas.ts'

const tenants = routeGroup({
  group: 'onboarding',
  tag: 'tenants',
  path: '/tenants',
  scope: 'platform:admin',
  reply: TenantReply,
})

const list = tenants.list('', {
  summary: 'Lists all tenants of the platform, removed ones too.',
  query: TenantListQuery,
  read: ({ platform: { store } }, request) =>
    store.across('a list of tenants, for their operator', (tx) => listPlatformTenants(tx, request)),
  show: showTenant,
})

const get = tenants.get('/{slug}', {
  summary: 'Reads a tenant of the platform, and how far its removal is.',
  handle: async ({ platform, params }) => answer(showTenant(await getPlatformTenant(platform, params.slug))),
})

const remove = tenants.delete('/{slug}', {
  summary:
    'Removes a tenant with everything that is stored for it; this cannot be undone. It is closed at once, on all ' +
    'servers within five seconds; rows go in pieces afterwards. May be repeated.',
  status: 202,
  faults: ['state.conflict'],
  handle: async ({ platform, caller, params: { slug } }) => {
    if (slug === caller.tenantSlug) {
      const detail = 'The client belongs to this tenant. Its operator removes it with `chirograph tenant remove`.'
      throw new Fault('state.conflict', { detail })
    }
    await removeTenant(platform, slug, { by: caller, clientId: caller.clientId })
    return answer(showTenant(await getPlatformTenant(platform, slug)))
  },
})

/** The tenants of the platform, in our API. */
export const removalRoutes: readonly Route[] = [list, get, remove]
