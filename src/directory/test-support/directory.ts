import { openTestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { Caller, Scope, TenantId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import type { Method } from '../../http/routes/route.ts'
import { buildServer } from '../../http/server/server.ts'
import { newId } from '../../store/row-id.ts'
import { applyBootstrap } from '../bootstrap/apply-bootstrap.ts'
import type { UserEntry } from '../bootstrap/bootstrap-file.ts'
import { getTenant } from '../tenants/find-tenant.ts'
import { directoryRoutes } from '../users/routes.ts'

type Call = { readonly method?: Method; readonly scopes?: readonly Scope[]; readonly body?: unknown }

/** The server that {@link openDirectory} opens. */
export type Directory = Awaited<ReturnType<typeof openDirectory>>

/** Opens a server with the routes of the directory only, whose tokens are `slug scope,scope`, on a database of its own. */
export async function openDirectory() {
  const db = await openTestDatabase()
  const start = Date.parse('2026-05-01T12:00:00.000Z')
  let shifted = 0
  const clock = { now: () => new Date(start + shifted * 1000) }
  const platform = platformOn({ store: db.store, config: { ...readConfig({}), port: 0 }, clock })
  const tenants = new Map<string, TenantId>()
  const tenantIdOf = (slug: string) => tenants.get(slug) ?? ('' as TenantId)
  const caller = (slug: string, scopes: readonly Scope[]): Caller => {
    const actor = { kind: 'client', id: 'backend' } as const
    const rest = { userId: null, clientId: 'backend', actingClientId: null, requestId: 'r', ip: '127.0.0.1' }
    return { tenantId: tenantIdOf(slug), tenantSlug: slug, actor, scopes: new Set(scopes), ...rest }
  }
  const server = buildServer({
    platform,
    routes: directoryRoutes,
    endpoints: [],
    authenticate: async ({ authorization = '' }) => {
      const [slug = '', scopes = ''] = authorization.split(' ')
      return caller(slug, scopes.split(',') as Scope[])
    },
  })
  return {
    store: db.store,
    platform,
    /** Moves the clock of the server. */
    shift: (seconds: number) => {
      shifted += seconds
    },
    tenant: async (users: readonly UserEntry[] = []) => {
      const slug = `t-${newId()}`
      await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme', users: [...users] }] })
      tenants.set(slug, (await getTenant(platform, slug)).id)
      return slug
    },
    tenantIdOf,
    caller,
    /** Calls the onboarding group as a client of the tenant, with `users:read` or, to write, `users:write` by default. */
    call: async (slug: string, path: string, { method = 'GET', scopes, body }: Call = {}) => {
      const scope = (scopes ?? [method === 'GET' ? 'users:read' : 'users:write']).join(',')
      const headers = {
        authorization: `${slug} ${scope}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await server.dispatch({ method, path: `/onboarding${path}`, headers, ...text })
      return { status: answer.status, body: answer.body.length === 0 ? null : JSON.parse(answer.body.toString()) }
    },
    close: async () => {
      await server.close()
      await db.close()
    },
  }
}
