import { AsyncLocalStorage } from 'node:async_hooks'

const tenants = new AsyncLocalStorage<string>()

/**
 * Runs work on behalf of a tenant: what the work fetches and keeps counts against the shares of that tenant. It grants nothing; which rows
 * the work reaches is for `store.inTenant` to say.
 *
 * @param tenant Slug of the tenant, or its id where the slug is not known.
 */
export function onBehalfOf<T>(tenant: string, work: () => T): T {
  return tenants.run(tenant, work)
}

/** The tenant that the current work is done for, `''` for none. Work that names no tenant shares one share. */
export function tenantOfWork(): string {
  return tenants.getStore() ?? ''
}
