import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Replacements } from '../../src/assembly.ts'
import { start } from '../../src/main.ts'
import { createDatabase, dropDatabase, postgresUrl } from './database.ts'
import { layTemplate } from './embedded-template.ts'
import { freePort } from './free-port.ts'
import { roundRobin } from './round-robin.ts'

/**
 * One deployment for one test file: on PostgreSQL two servers that get the requests in turn, else one on an embedded
 * database.
 */
export type Deployment = {
  readonly url: string
  /** The address of each server. */
  readonly servers: readonly string[]
  readonly stop: () => Promise<void>
  /** A token of the tenant's backend, which holds everything of the tenant. */
  readonly backend: (tenant: 'acme' | 'globex') => Promise<Api>
  /** A client of the tenant whose one scope, `audit:read`, opens next to nothing. */
  readonly idle: (tenant: 'acme' | 'globex') => Promise<Api>
  /** The operator of the platform, a client of globex that holds `platform:admin` alone. */
  readonly operator: () => Promise<Api>
  /** The wallet of a person, reached as the tenant's backend would: by token exchange. */
  readonly wallet: (tenant: 'acme' | 'globex', username: string) => Promise<Api>
  /** Without a token. */
  readonly nobody: Api
}

/** A caller of the API. Paths start with `/wallet`, `/creds`, `/onboarding` or are absolute. */
export type Api = {
  readonly token: string | null
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Reply>
  readonly post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>
  readonly put: (path: string, body?: unknown) => Promise<Reply>
  readonly patch: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>
  readonly delete: (path: string) => Promise<Reply>
  /** Any method, any body, byte for byte. */
  readonly send: (method: string, path: string, body?: SentBody, headers?: Record<string, string>) => Promise<Reply>
  readonly form: (path: string, body: Record<string, string>, headers?: Record<string, string>) => Promise<Reply>
}

/** A body as it is sent. */
type SentBody = string | Uint8Array<ArrayBuffer>

/** `body` is parsed JSON when the answer was JSON, else text. Tests look into it freely. */
// biome-ignore lint/suspicious/noExplicitAny: what a stranger answers has no type before the test has looked at it
export type Reply = { readonly status: number; readonly headers: Headers; readonly body: any }

/** Secret of the backends in tests. */
export const backendSecret = 'a-backend-secret-for-tests-only-0123456789'

/** The private key of RFC 8291, appendix A: known to everybody. */
export const vapidTestKey = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'

/** The tenants acme and globex, as {@link deploy} makes them. */
export const bootstrap = {
  tenants: ['acme', 'globex'].map((slug) => ({
    slug,
    name: slug === 'acme' ? 'Acme College' : 'Globex Corporation',
    clients: [
      { clientId: `${slug}-idle`, clientSecret: backendSecret, scopes: ['audit:read' as const] },
      {
        clientId: `${slug}-backend`,
        clientSecret: backendSecret,
        scopes: ['tenant:admin' as const, 'users:impersonate' as const],
      },
      ...(slug === 'globex'
        ? [{ clientId: 'operator', clientSecret: backendSecret, scopes: ['platform:admin' as const] }]
        : []),
    ],
    users: [
      {
        username: 'thandi',
        email: 'thandi@example.org',
        firstName: 'Thandi',
        lastName: 'Molefe',
        externalIdentifier: 'EXT/1+a@é',
        enabled: true,
      },
      { username: 'pieter', email: 'pieter@example.org', firstName: 'Pieter', lastName: 'Botha', enabled: true },
      { username: 'gone', email: 'gone@example.org', enabled: false },
    ],
  })),
}

/**
 * Starts a deployment with the tenants acme and globex.
 *
 * @param instead For each server, or by its number.
 * @param settings Of tenants, by slug.
 * @param serversMax For what a process may have once only.
 */
export async function deploy(
  instead: Replacements | ((server: number) => Replacements) = {},
  env: Record<string, string> = {},
  settings: Readonly<Record<string, object>> = {},
  serversMax = 2,
): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-test-'))
  const file = join(folder, 'bootstrap.json')
  const tenants = bootstrap.tenants.map((one) => ({ ...one, settings: settings[one.slug] ?? {} }))
  writeFileSync(file, JSON.stringify({ tenants }))
  const isGiven = env.DATABASE_URL !== undefined
  const database: { DATABASE_URL?: string } =
    isGiven || postgresUrl === null ? {} : { DATABASE_URL: await createDatabase(postgresUrl) }
  if (!isGiven && postgresUrl === null) await layTemplate(folder)
  const front = env.PUBLIC_URL === undefined ? await freePort() : Number(new URL(env.PUBLIC_URL).port)
  const url = env.PUBLIC_URL ?? `http://127.0.0.1:${front}`
  const ports = postgresUrl === null ? [front] : await Promise.all(Array.from({ length: serversMax }, freePort))
  const common = {
    DATA_DIR: folder,
    BOOTSTRAP_FILE: file,
    PUBLIC_URL: url,
    LOG_LEVEL: 'error',
    DRAIN_SECONDS: '0',
    DATABASE_POOL_MAX: '5',
    VAPID_PRIVATE_KEY: vapidTestKey,
    ...database,
    ...env,
  }
  const insteadOf = (server: number) => (typeof instead === 'function' ? instead(server) : instead)
  const servers = await Promise.all(
    ports.map((port, server) => start({ ...common, PORT: String(port) }, insteadOf(server))),
  )
  const proxy = postgresUrl === null ? null : await roundRobin(front, ports)
  return {
    url,
    servers: ports.map((port) => `http://127.0.0.1:${port}`),
    nobody: api(url, null),
    backend: async (tenant) => api(url, await clientToken(url, `${tenant}-backend`)),
    idle: async (tenant) => api(url, await clientToken(url, `${tenant}-idle`)),
    operator: async () => api(url, await clientToken(url, 'operator')),
    wallet: async (tenant, username) => api(url, await walletToken(url, tenant, username)),
    stop: async () => {
      await proxy?.close()
      await Promise.all(servers.map((one) => one.stop()))
      if (database.DATABASE_URL !== undefined) await dropDatabase(database.DATABASE_URL)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A caller with a token, or without one. */
export function api(url: string, token: string | null): Api {
  const send = async (method: string, path: string, body?: SentBody, headers: Record<string, string> = {}) => {
    const answer = await fetch(path.startsWith('http') ? path : `${url}${path}`, {
      method,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') === true
    return { status: answer.status, headers: answer.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
  }
  const json =
    (method: string) =>
    (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send(method, path, body === undefined ? undefined : JSON.stringify(body), {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      })
  return {
    token,
    send,
    get: (path, headers = {}) => send('GET', path, undefined, headers),
    post: json('POST'),
    put: json('PUT'),
    patch: json('PATCH'),
    delete: json('DELETE'),
    form: (path, body, headers = {}) =>
      send('POST', path, new URLSearchParams(body).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      }),
  }
}

async function clientToken(url: string, clientId: string): Promise<string> {
  const { status, body } = await api(url, null).form('/auth/token', {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: backendSecret,
  })
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`)
  return body.access_token
}

async function walletToken(url: string, tenant: string, username: string): Promise<string> {
  const { status, body } = await api(url, null).form('/auth/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    client_id: `${tenant}-backend`,
    client_secret: backendSecret,
    subject_token: await clientToken(url, `${tenant}-backend`),
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    requested_subject: username,
  })
  if (status !== 200) throw new Error(`no wallet token: ${JSON.stringify(body)}`)
  return body.access_token
}
