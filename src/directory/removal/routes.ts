import { serveList } from '../../api/serve-list.ts'
import { tenants } from '../../contract/directory/tenants.ts'
import { Fault } from '../../fault.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { getPlatformTenant } from './list-tenants.ts'
import { listPlatformTenants } from './removal-store.ts'
import { removeTenant } from './remove-tenant.ts'
import { showTenant } from './show-tenant.ts'

const list = serveList(tenants.list, {
  read: ({ platform: { store } }, request) =>
    store.across('a list of tenants, for their operator', (tx) => listPlatformTenants(tx, request)),
  show: showTenant,
})

const get = serve(tenants.get, async ({ platform, params }) =>
  answer(showTenant(await getPlatformTenant(platform, params.slug))),
)

const remove = serve(tenants.delete, async ({ platform, caller, params: { slug } }) => {
  if (slug === caller.tenantSlug) {
    const detail = 'The client belongs to this tenant. Its operator removes it with `chirograph tenant remove`.'
    throw new Fault('state.conflict', { detail })
  }
  await removeTenant(platform, slug, { by: caller, clientId: caller.clientId })
  return answer(showTenant(await getPlatformTenant(platform, slug)))
})

/** The tenants of the platform, in our API. */
export const removalRoutes: readonly Route[] = [list, get, remove]
