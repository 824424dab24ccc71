import { randomBytes } from 'node:crypto'
import { openTestDatabase } from '../../../test/support/database.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { Reply } from '../../../test/support/server.ts'
import type { Caller, Scope, TenantId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { buildServer } from '../../http/server/server.ts'
import { assetEndpoints } from '../../pages/public-endpoints.ts'
import type { OutboundFetch, Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import type { Store } from '../../store/store.ts'
import { certificateEndpoints } from '../../trust/certificates/public-endpoints.ts'
import { didEndpoints } from '../../trust/did/public-endpoints.ts'
import { revocationEndpoints } from '../../trust/revocation/public-endpoints.ts'
import { digitalCredentialEndpoints } from '../digital-credentials/public-endpoints.ts'
import { verificationRoutes } from '../requests/routes.ts'
import { verificationEndpoints } from '../responses/public-endpoints.ts'

/** A verifier server on its own port, with its store. */
export type Verifier = {
  readonly url: string
  readonly platform: Platform
  /** A second process on the same database. */
  readonly twin: Platform
  readonly store: Store
  /** Moves the clock. */
  readonly wait: (seconds: number) => void
  readonly aTenant: () => Promise<Backend>
  readonly close: () => Promise<void>
}

/** Returns the caller for use cases of other rooms. */
export function callerOf({ slug, tenantId }: Pick<Backend, 'slug' | 'tenantId'>): Caller {
  const actor = { kind: 'client', id: 'backend' } as const
  const names = { tenantId, tenantSlug: slug, actor, userId: null, clientId: 'backend', actingClientId: null }
  return { ...names, scopes: new Set(), requestId: 'r', ip: '127.0.0.1' }
}

/** The backend of one organisation. */
export type Backend = {
  readonly slug: string
  readonly tenantId: TenantId
  readonly ask: (method: string, path: string, body?: unknown, scope?: Scope) => Promise<Reply>
}

/**
 * Starts a verifier. `fetch`: outbound requests, which fail by default. `host`: its host name, also in certificates.
 */
export async function startVerifier(fetch?: OutboundFetch, host = '127.0.0.1'): Promise<Verifier> {
  const db = await openTestDatabase()
  const port = await freePort()
  const url = `http://${host}:${port}`
  let ahead = 0
  const clock = { now: () => new Date(Date.now() + ahead * 1000) }
  const config = readConfig({ PORT: String(port), PUBLIC_URL: url })
  const parts = { store: db.store, config, clock, masterKey: randomBytes(32), ...(fetch !== undefined && { fetch }) }
  const platform = platformOn(parts)
  const tenants = new Map<string, TenantId>()
  const server = buildServer({
    platform,
    routes: verificationRoutes,
    endpoints: [
      ...verificationEndpoints,
      ...digitalCredentialEndpoints,
      ...assetEndpoints,
      ...didEndpoints,
      ...revocationEndpoints,
      ...certificateEndpoints,
    ],
    authenticate: async ({ headers: { authorization = '' } }) => aCaller(tenants, authorization),
  })
  await server.listen()
  return {
    url,
    platform,
    twin: platformOn(parts),
    store: db.store,
    wait: (seconds) => {
      ahead += seconds
    },
    aTenant: async () => {
      const slug = `t-${newId()}`
      await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme' }] })
      const { id: tenantId } = await getTenant(platform, slug)
      tenants.set(slug, tenantId)
      return { slug, tenantId, ask: (...request) => askApi(url, slug, ...request) }
    },
    close: async () => {
      await server.close(100)
      await db.close()
    },
  }
}

async function askApi(url: string, slug: string, method: string, path: string, body?: unknown, scope?: Scope) {
  const authorization = `${slug} ${scope ?? (method === 'GET' ? 'verification:read' : 'verification:write')}`
  const sent = body === undefined ? {} : { body: JSON.stringify(body), type: 'application/json' }
  return send(`${url}/creds${path}`, {
    method,
    headers: { authorization, ...(sent.type && { 'content-type': sent.type }) },
    ...(sent.body && { body: sent.body }),
  })
}

/** One request over HTTP. */
export async function send(url: string, init: RequestInit = {}): Promise<Reply> {
  const { status, headers, ...answer } = await fetch(url, init).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }))
  const isJson = headers.get('content-type')?.includes('json') === true
  return { status, headers, body: isJson ? JSON.parse(answer.text) : answer.text }
}

/** One form, as wallets post it. */
export function postForm(url: string, members: Record<string, string>): Promise<Reply> {
  return send(url, { method: 'POST', body: new URLSearchParams(members) })
}

function aCaller(tenants: ReadonlyMap<string, TenantId>, authorization: string): Caller {
  const [slug = '', scope] = authorization.split(' ')
  const tenantId = tenants.get(slug)
  if (tenantId === undefined) throw new Fault('token.invalid')
  const actor = { kind: 'client', id: 'backend' } as const
  const rest = { userId: null, clientId: 'backend', actingClientId: null, requestId: 'r', ip: '127.0.0.1' }
  return { tenantId, tenantSlug: slug, actor, scopes: new Set([scope as Scope]), ...rest }
}
