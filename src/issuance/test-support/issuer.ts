import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { Reply as ServerReply } from '../../../test/support/server.ts'
import type { Caller, Scope, TenantId } from '../../caller.ts'
import { type Config, readConfig } from '../../config.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { randomBytes, randomToken } from '../../crypto/random.ts'
import { type SigningKey, softwareKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import { openOutbound } from '../../http/outbound/outbound.ts'
import { buildServer, type Server } from '../../http/server/server.ts'
import { Memory } from '../../memory/memory.ts'
import type { Platform } from '../../platform.ts'
import { buildJwtProof } from '../../protocols/openid4vci/jwt-proof.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { certificateEndpoints } from '../../trust/certificates/public-endpoints.ts'
import { certificateRoutes } from '../../trust/certificates/routes.ts'
import { didEndpoints } from '../../trust/did/public-endpoints.ts'
import { revocationEndpoints } from '../../trust/revocation/public-endpoints.ts'
import { signingRequestRoutes } from '../../trust/signing-requests/routes.ts'
import { batchRoutes } from '../batches/routes.ts'
import { deferralRoutes } from '../deferral/routes.ts'
import { handOutRoutes } from '../hand-out/routes.ts'
import { issuanceRoutes } from '../issuances/routes.ts'
import type { WalletPort } from '../issuances/wallet-port.ts'
import { keptAttributesRoutes } from '../kept-attributes/routes.ts'
import { metadataEndpoints } from '../openid4vci/metadata/public-endpoints.ts'
import { issuanceEndpoints } from '../openid4vci/public-endpoints.ts'
import { reminderRoutes } from '../reminders/routes.ts'
import { replacements } from '../replacements/replace.ts'
import { statusRoutes } from '../status/routes.ts'
import { templateRoutes } from '../templates/routes.ts'

/** A response body, JSON parsed. */
export type Body = ServerReply['body']
/** A response of the server. */
export type Reply = { readonly status: number; readonly headers: Record<string, string>; readonly body: Body }

/** One issuer of its own on a server of its own; the clock stands until a test sets it. */
export type Issuer = {
  readonly platform: Platform
  readonly server: Server
  readonly tenant: Tenant
  readonly clock: { at: Date }
  readonly anotherTenant: () => Promise<Tenant>
  readonly api: (method: string, path: string, body?: unknown, tenant?: Tenant) => Promise<Reply>
  readonly open: (path: string, ask?: Ask) => Promise<Reply>
}

/** A tenant of a test. */
export type Tenant = { readonly id: TenantId; readonly slug: string }
/** A request of a wallet. */
export type Ask = {
  readonly method?: string
  readonly form?: Record<string, string>
  readonly json?: unknown
  readonly headers?: Record<string, string>
}

const insertTenant = sql(
  'test.issuance.tenant',
  'insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $3, now(), now())',
)
/** Everything in these tests starts here. */
export const noon = new Date('2026-05-01T12:00:00.000Z')

/** A database for one test file. */
export async function aDatabase(): Promise<TestDatabase> {
  return openTestDatabase()
}

/** Refuses every delivery. */
export const noDeliveries: WalletPort = {
  plan: () => Promise.reject(new Fault('state.invalid')),
  refusals: (_platform, _sender, { recipients }) => Promise.resolve(recipients.map(() => null)),
  resume: () => Promise.resolve(null),
}

/**
 * A server with the rooms issuance and trust, and one tenant.
 *
 * @param known An existing tenant, as in a second process.
 */
export async function anIssuer(
  { store }: Pick<TestDatabase, 'store'>,
  publicUrl = 'http://localhost:8080',
  settings: Partial<Config> = {},
  known?: Tenant,
): Promise<Issuer> {
  const clock = { at: noon }
  const config: Config = { ...readConfig({}), port: 0, publicUrl, ...settings }
  const outbound = openOutbound({ config, memory: new Memory(), inside: (request) => server.dispatch(request) })
  const platform = platformOn({ store, config, clock: { now: () => clock.at }, fetch: outbound.fetch, masterKey })
  const server = buildServer({
    platform,
    routes: [
      ...signingRequestRoutes,
      ...certificateRoutes,
      ...templateRoutes,
      ...issuanceRoutes(noDeliveries, replacements),
      ...deferralRoutes,
      ...batchRoutes(noDeliveries),
      ...handOutRoutes(async () => null),
      ...reminderRoutes,
      ...keptAttributesRoutes,
      ...statusRoutes,
    ],
    endpoints: [metadataEndpoints, issuanceEndpoints, didEndpoints, revocationEndpoints, certificateEndpoints].flat(),
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
    callers.set(readerOf(tenant), { ...callerOf(tenant), scopes: new Set<Scope>(['issuance:read']) })
    return tenant
  }
  const tenant = known ?? (await anotherTenant())
  return {
    platform,
    server,
    clock,
    tenant,
    anotherTenant,
    api: (method, path, body, as = tenant) =>
      send(server, method, `/creds${path}`, body === undefined ? {} : { json: body }, `Bearer ${as.slug}`),
    open: (path, ask = {}) => {
      const start = path.startsWith(publicUrl) ? path.slice(publicUrl.length) : path
      return send(server, ask.method ?? (ask.form || ask.json ? 'POST' : 'GET'), start, ask)
    },
  }
}

// For all servers of the process, as for all processes on one database.
const masterKey = randomBytes(32)
const callers = new Map<string, Caller>()

async function send(server: Server, method: string, path: string, ask: Ask, authorization?: string): Promise<Reply> {
  const { form, json } = ask
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  const body =
    form === undefined ? (json === undefined ? undefined : JSON.stringify(json)) : new URLSearchParams(form).toString()
  const answer = await server.dispatch({
    method,
    path,
    headers: {
      ...(body !== undefined && { 'content-type': type }),
      ...(authorization && { authorization }),
      ...ask.headers,
    },
    ...(body !== undefined && { body }),
  })
  const text = answer.body.toString()
  const isJson = /[/+]json\b/.test(answer.headers['content-type'] ?? '')
  return { status: answer.status, headers: answer.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
}

/** The token of a caller who may only read issuances. */
export function readerOf({ slug }: Tenant): string {
  return `${slug}-reader`
}

/** The backend of a tenant. */
export function callerOf(tenant: Tenant): Caller {
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

/** Creates a root certificate, which makes its leaf. */
export async function aRoot(issuer: Issuer, more: object = {}, tenant = issuer.tenant): Promise<Body> {
  const about = { type: 'issuerRoot', keyType: 'P-256', countryName: 'ZA' }
  const body = { ...about, issuerAlternativeNameUrl: 'https://college.example', ...more }
  const made = await issuer.api('POST', '/certificates', body, tenant)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body.data
}

/** A body that creates a template; its code is new. */
export function aTemplate(more: object = {}) {
  return {
    name: 'Diploma',
    code: `diploma-${randomToken(6)}`,
    attributes: {
      given_name: { type: 'string', required: true, name: 'Given name' },
      degree: { type: 'string', alwaysDisclosed: true },
      address: { type: 'object', properties: { locality: { type: 'string' }, country: { type: 'string' } } },
      nationalities: { type: 'array', items: { type: 'string' } },
    },
    ...more,
  }
}

/** Claims that fit {@link aTemplate}. */
export const someClaims = {
  given_name: 'Thandi',
  degree: 'BSc',
  address: { locality: 'Pretoria', country: 'ZA' },
  nationalities: ['ZA', 'NA'],
}

/** A template and an issuance from it. */
export async function anOffer(issuer: Issuer, template: object = {}, ask: object = {}, tenant = issuer.tenant) {
  const made = await issuer.api('POST', '/templates/credentials', aTemplate(template), tenant)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  const body = { credentialTemplateId: made.body.data.id, attributes: someClaims, ...ask }
  const opened = await issuer.api('POST', '/credentials/issuance', body, tenant)
  if (opened.status !== 200) throw new Error(JSON.stringify(opened.body))
  return { template: made.body.data, issuance: opened.body.data, code: await codeOf(issuer, opened.body.data.offerUri) }
}

/** The pre-authorized code behind an offer link, as a wallet finds it. */
export async function codeOf(issuer: Issuer, offerUri: string): Promise<string> {
  const uri = new URL(offerUri).searchParams.get('credential_offer_uri') ?? ''
  const { body } = await issuer.open(uri)
  return body.grants['urn:ietf:params:oauth:grant-type:pre-authorized_code']['pre-authorized_code']
}

/** A token request. */
export function redeem(issuer: Issuer, code: string, more: Record<string, string> = {}, tenant = issuer.tenant) {
  const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'
  const form = { grant_type: grant, 'pre-authorized_code': code, ...more }
  return issuer.open(`/issuers/${tenant.slug}/token`, { form })
}

/** A holder's key. */
export function aKey(): SigningKey {
  return softwareKey(generateKeyPair().privateKey)
}

/** A nonce of the tenant. */
export async function aNonce(issuer: Issuer, tenant = issuer.tenant): Promise<string> {
  return (await issuer.open(`/issuers/${tenant.slug}/nonce`, { method: 'POST' })).body.c_nonce
}

/** A credential request, with a fresh nonce by default. */
export async function request(
  issuer: Issuer,
  token: string,
  configurationId: string,
  keys: readonly SigningKey[],
  more: { nonce?: string; tenant?: Tenant; body?: object; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const tenant = more.tenant ?? issuer.tenant
  const nonce = more.nonce ?? (await aNonce(issuer, tenant))
  const about = { issuer: issuer.platform.urls.issuer(tenant.slug), nonce, clientId: null }
  const jwt = await Promise.all(keys.map((key) => buildJwtProof(about, key, issuer.clock.at)))
  return issuer.open(`/issuers/${tenant.slug}/credential`, {
    json: { credential_configuration_id: configurationId, proofs: { jwt }, ...more.body },
    headers: { authorization: `Bearer ${token}`, ...more.headers },
  })
}

/** An offer redeemed for a token. */
export async function aToken(issuer: Issuer, template: object = {}, ask: object = {}) {
  const offer = await anOffer(issuer, template, ask)
  const { body } = await redeem(issuer, offer.code)
  return { ...offer, token: body.access_token as string }
}
