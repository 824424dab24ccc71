import { openTestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { Caller, Scope, TenantId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import type { Method } from '../../contract/api-operation.ts'
import { buildServer } from '../../http/server/server.ts'
import { newId } from '../../store/row-id.ts'
import { applyBootstrap } from '../bootstrap/apply-bootstrap.ts'
import type { TenantEntry, UserEntry } from '../bootstrap/bootstrap-file.ts'
import { groupRoutes } from '../groups/routes.ts'
import { scimEndpoints } from '../scim/public-endpoints.ts'
import { provisioningRoutes } from '../scim/routes.ts'
import { getTenant } from '../tenants/find-tenant.ts'
import { directoryRoutes } from '../users/routes.ts'

type Call = {
  readonly method?: Method
  readonly scopes?: readonly Scope[]
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const START = Date.parse('2026-05-01T12:00:00.000Z')

/** The server that {@link openDirectory} opens. */
export type Directory = Awaited<ReturnType<typeof openDirectory>>

/**
 * Opens a server with the routes of the directory only, whose tokens name tenant and scopes, on a database of its own.
 */
export async function openDirectory() {
  const db = await openTestDatabase()
  let shifted = 0
  const clock = { now: () => new Date(START + shifted * 1000) }
  const platform = platformOn({ store: db.store, config: { ...readConfig({}), port: 0 }, clock })
  const tenants = new Map<string, TenantId>()
  const tenantIdOf = (slug: string) => tenants.get(slug) ?? ('' as TenantId)
  const caller = (slug: string, scopes: readonly Scope[]): Caller => {
    const actor = { kind: 'client', id: 'backend' } as const
    const rest = { userId: null, clientId: 'backend', actingClientId: null, requestId: 'r', ip: '127.0.0.1' }
    return { tenantId: tenantIdOf(slug), tenantSlug: slug, actor, scopes: new Set(scopes), ...rest }
  }
  const add = async (slug: string, entry: Partial<TenantEntry>) => {
    await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme', ...entry }] })
    tenants.set(slug, (await getTenant(platform, slug)).id)
    return slug
  }
  const server = buildServer({
    platform,
    routes: [...directoryRoutes, ...groupRoutes, ...provisioningRoutes],
    endpoints: scimEndpoints,
    authenticate: async ({ headers: { authorization = '' } }) => {
      const [slug = '', scopes = ''] = authorization.replace('Bearer ', '').split('~')
      return caller(slug, scopes.replaceAll('.', ':').split('+') as Scope[])
    },
  })
  return {
    store: db.store,
    platform,
    shift: (seconds: number) => {
      shifted += seconds
    },
    tenant: (users: readonly UserEntry[] = []) => add(`t-${newId()}`, { users: [...users] }),
    tenantWithClient: async (clientId: string, scopes: readonly Scope[]) => {
      const client = { clientId: `${clientId}-${newId()}`, clientSecret: 's'.repeat(32), scopes: [...scopes] }
      return { slug: await add(`t-${newId()}`, { clients: [client] }), clientId: client.clientId }
    },
    tenantIdOf,
    caller,
    /**
     * Calls the onboarding group as a client of the tenant, with `users:read` or, to write, `users:write` by default.
     * An empty header is left out.
     */
    call: async (slug: string, path: string, { method = 'GET', scopes, body, headers: more }: Call = {}) => {
      const scope = (scopes ?? [method === 'GET' ? 'users:read' : 'users:write']).join(',')
      const token = `${slug}~${scope.replaceAll(':', '.').replaceAll(',', '+')}`
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const all = { authorization: `Bearer ${token}`, ...type, ...more }
      const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await server.dispatch({ method, path: `/onboarding${path}`, headers, ...text })
      return {
        status: answer.status,
        headers: answer.headers,
        body: answer.body.length === 0 ? null : JSON.parse(answer.body.toString()),
      }
    },
    close: async () => {
      await server.close()
      await db.close()
    },
  }
}
