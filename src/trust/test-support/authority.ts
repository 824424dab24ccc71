import { execFileSync } from 'node:child_process'
import type { TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { Caller, Scope, TenantId } from '../../caller.ts'
import { type Config, readConfig } from '../../config.ts'
import { randomBytes } from '../../crypto/random.ts'
import { Fault } from '../../fault.ts'
import { openOutbound } from '../../http/outbound/outbound.ts'
import { buildServer, type Server } from '../../http/server/server.ts'
import { Memory } from '../../memory/memory.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { trustSchedules } from '../certificates/jobs.ts'
import { certificateEndpoints } from '../certificates/public-endpoints.ts'
import { certificateRoutes } from '../certificates/routes.ts'
import { didEndpoints } from '../did/public-endpoints.ts'
import { revocationEndpoints } from '../revocation/public-endpoints.ts'
import { signingRequestRoutes } from '../signing-requests/routes.ts'

/** What was answered, JSON parsed; tests look into it freely. */
export type Reply = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: import('../../../test/support/server.ts').Reply['body']
  readonly bytes: Buffer
}
/** A tenant of a test. */
export type Tenant = { readonly id: TenantId; readonly slug: string }

/** The room trust on a server of its own, with one tenant. Several of them on one database are several processes. */
export type Authority = {
  readonly platform: Platform
  readonly tenant: Tenant
  readonly clock: { at: Date }
  readonly anotherTenant: () => Promise<Tenant>
  /** A call of our API by the tenant's backend; `path` starts with `/certificates`. */
  readonly api: (method: string, path: string, body?: unknown, as?: Tenant, accept?: string) => Promise<Reply>
  /** A request without a token to the protocol surface. */
  readonly open: (path: string, headers?: Record<string, string>) => Promise<Reply>
  /** Lets one sweep run. */
  readonly sweep: (name: string) => Promise<void>
}

const insertTenant = sql(
  'test.trust.tenant',
  'insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $3, now(), now())',
)
const selectAudit = sql(
  'test.trust.audit',
  'select action, event_type, subject_id, actor_kind, detail from audit_entry order by at, id',
)

/** Everything in these tests starts here, so that openssl, which has the real clock, finds things valid. */
export const start = new Date(Math.floor(Date.now() / 1000) * 1000)
/** A day in milliseconds. */
export const DAY_MS = 86_400_000

// One for all servers of the process, as for all processes on one database.
const masterKey = randomBytes(32)

/**
 * A server with the certificate routes.
 *
 * @param known A tenant that is there already: another process of the same deployment.
 */
export async function anAuthority(
  { store }: Pick<TestDatabase, 'store'>,
  { known, settings = {} }: { known?: Tenant; settings?: Partial<Config> } = {},
): Promise<Authority> {
  const clock = { at: start }
  const config: Config = { ...readConfig({}), port: 0, publicUrl: 'https://trust.example', ...settings }
  const outbound = openOutbound({ config, memory: new Memory(), inside: (request) => server.dispatch(request) })
  const platform = platformOn({ store, config, clock: { now: () => clock.at }, fetch: outbound.fetch, masterKey })
  const callers = new Map<string, Caller>()
  const server = buildServer({
    platform,
    routes: [...signingRequestRoutes, ...certificateRoutes],
    endpoints: [...didEndpoints, ...revocationEndpoints, ...certificateEndpoints],
    authenticate: async ({ headers: { authorization } }) => {
      const caller = callers.get(authorization?.replace('Bearer ', '') ?? '')
      if (caller === undefined) throw new Fault('token.invalid')
      return caller
    },
  })
  const anotherTenant = async () => {
    const tenant = { id: newId() as TenantId, slug: `t${randomBytes(6).toString('hex')}` }
    await store.across('a tenant for a test', (tx) => tx.rows(insertTenant, [tenant.id, tenant.slug, 'Acme College']))
    callers.set(tenant.slug, callerOf(tenant))
    return tenant
  }
  if (known !== undefined) callers.set(known.slug, callerOf(known))
  const tenant = known ?? (await anotherTenant())
  return {
    platform,
    tenant,
    clock,
    anotherTenant,
    api: (method, path, body, as = tenant, accept = '*/*') =>
      send(server, { method, path: `/creds${path}`, body, headers: { authorization: `Bearer ${as.slug}`, accept } }),
    open: (path, headers = {}) => {
      const { publicUrl } = config
      const local = path.startsWith(publicUrl) ? path.slice(publicUrl.length) : path
      return send(server, { method: 'GET', path: local, body: undefined, headers })
    },
    sweep: async (name) => {
      const schedule = trustSchedules.find((one) => one.name === name)
      if (schedule === undefined) throw new Error(`no sweep ${name}`)
      await schedule.run(platform, new AbortController().signal)
    },
  }
}

type Sent = { method: string; path: string; body: unknown; headers: Record<string, string> }

async function send(server: Server, { method, path, body, headers }: Sent): Promise<Reply> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await server.dispatch({
    method,
    path,
    headers: { ...json, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const isJson = answer.headers['content-type']?.includes('json') === true
  const text = answer.body.toString()
  const { status } = answer
  return { status, headers: answer.headers, body: isJson && text !== '' ? JSON.parse(text) : text, bytes: answer.body }
}

function callerOf(tenant: Tenant): Caller {
  return {
    tenantId: tenant.id,
    tenantSlug: tenant.slug,
    actor: { kind: 'client', id: 'backend' },
    userId: null,
    clientId: 'backend',
    actingClientId: null,
    scopes: new Set<Scope>(['tenant:admin']),
    requestId: 'r1',
    ip: '192.0.2.1',
  }
}

/** A body that creates a root. */
export function aRootBody(more: object = {}) {
  const url = 'https://college.example'
  return { type: 'issuerRoot', keyType: 'P-256', countryName: 'ZA', issuerAlternativeNameUrl: url, ...more }
}

/** Creates a root. */
export async function aRoot(
  authority: Authority,
  more: object = {},
  tenant = authority.tenant,
): Promise<Reply['body']> {
  const made = await authority.api('POST', '/certificates', aRootBody(more), tenant)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body.data
}

/** Creates a signing request. */
export async function aRequest(authority: Authority, more: object = {}): Promise<Reply['body']> {
  const body = { type: 'issuerSignCredential', keyType: 'P-256', countryName: 'ZA', ...more }
  const made = await authority.api('POST', '/certificates/csrs', body)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body.data
}

/** The certificates of the tenant, oldest first. */
export async function list(authority: Authority, query = ''): Promise<Reply['body']> {
  const { status, body } = await authority.api('GET', `/certificates?sort=createdAt${query}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data
}

/** The leaf that a root made last. */
export async function leafOf(authority: Authority, rootId: string): Promise<Reply['body']> {
  const all = await list(authority, '&page[size]=100'.replace(/[[\]]/g, encodeURIComponent))
  return all.findLast((one: { parentCertificateId: string }) => one.parentCertificateId === rootId)
}

/** The audit trail of the tenant. */
export function audit({ platform, tenant }: Authority) {
  return platform.store.single(tenant.id, (tx) =>
    tx.rows<{ action: string; event_type: string | null; subject_id: string; actor_kind: string; detail: object }>(
      selectAudit,
    ),
  )
}

/** What openssl reads out of a certificate in PEM. */
export function textOf(pem: string): string {
  const args = ['x509', '-noout', '-text', '-nameopt', 'RFC2253,utf8,-esc_msb']
  return execFileSync('openssl', args, { input: pem, encoding: 'utf8' })
}
