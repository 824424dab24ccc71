import { secret } from '../../bench/party.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../src/crypto/json.ts'

/** A call that got no answer, or one that is an error: `503 POST /path CODE`. */
export class Failure extends Error {}

/** A caller of the API through the balancer, with the tokens of the backend and of wallets. */
export type ApiCaller = {
  /** @throws Failure */
  readonly call: (method: string, path: string, ask?: Ask) => Promise<JsonObject>
  /** Ids of a whole list, page by page. @throws Failure */
  readonly ids: (path: string, username?: string | null) => Promise<Set<string>>
}

/**
 * `as`: the user whose wallet is meant; null: the backend. `at`: the address of one server, instead of the balancer.
 */
type Ask = { readonly as?: string | null; readonly json?: unknown; readonly at?: string }
type Body = { readonly token?: string; readonly json?: unknown; readonly form?: Record<string, string> }

const TOKEN_MS = 120_000
const CALL_MS = 30_000

/** Returns a caller, with the client of an organisation. */
export function apiCaller(base: string, clientId = 'acme-backend'): ApiCaller {
  const tokens = new Map<string | null, { readonly text: string; readonly until: number }>()
  const tokenOf = async (username: string | null): Promise<string> => {
    const known = tokens.get(username)
    if (known !== undefined && known.until > performance.now()) return known.text
    const grant = username === null ? { grant_type: 'client_credentials' } : exchange(username, await tokenOf(null))
    const form = { client_id: clientId, client_secret: secret, ...grant }
    const text = String((await send(base, 'POST', '/auth/token', { form })).access_token)
    tokens.set(username, { text, until: performance.now() + TOKEN_MS })
    return text
  }
  const call: ApiCaller['call'] = async (method, path, { as: username = null, json, at = base } = {}) =>
    send(at, method, path, { token: await tokenOf(username), json })
  return {
    call,
    ids: async (path, username = null) => {
      const found = new Set<string>()
      for (let next: string | null = `${path}?page[size]=100`; next !== null; ) {
        const page: JsonObject = await call('GET', next, { as: username })
        for (const one of Array.isArray(page.data) ? page.data.filter(isJsonObject) : []) found.add(String(one.id))
        const link: unknown = isJsonObject(page.links) ? page.links.next : null
        next = typeof link === 'string' ? link.slice(link.indexOf(path)) : null
      }
      return found
    },
  }
}

/** Returns the member `data`. */
export function dataOf(body: JsonObject): JsonObject {
  return isJsonObject(body.data) ? body.data : {}
}

function exchange(username: string, token: string): Record<string, string> {
  return {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    requested_subject: username,
  }
}

async function send(url: string, method: string, path: string, { token, json, form }: Body): Promise<JsonObject> {
  const headers = {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  }
  const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json)
  const ask = { method, headers, signal: AbortSignal.timeout(CALL_MS), ...(body !== undefined && { body }) }
  const place = `${method} ${path.split('/').slice(0, 4).join('/')}`
  const answer = await fetch(`${url}${path}`, ask).catch((error: Error) => {
    throw new Failure(`no answer ${place} ${error.name}`)
  })
  const text = await answer.text()
  const value = text.startsWith('{') ? parseJson(text) : {}
  const found = isJsonObject(value) ? value : {}
  if (!answer.ok) throw new Failure(`${answer.status} ${place} ${codeOf(found)}`)
  return found
}

function codeOf({ errors, error }: JsonObject): string {
  const [first] = Array.isArray(errors) ? errors.filter(isJsonObject) : []
  return String(first?.code ?? error ?? '')
}
