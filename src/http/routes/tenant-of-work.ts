import { AsyncLocalStorage } from 'node:async_hooks'

const tenants = new AsyncLocalStorage<string>()

/**
 * Runs work on behalf of a tenant: outbound calls and cached documents count against the share of that tenant. It grants no access to rows.
 *
 * @param tenant Slug of the tenant, or its id where the slug is not known.
 */
export function onBehalfOf<T>(tenant: string, work: () => T): T {
  return tenants.run(tenant, work)
}

/** The tenant of the current work, `''` for none. All work without a tenant has one share. */
export function tenantOfWork(): string {
  return tenants.getStore() ?? ''
}
