import assert from 'node:assert/strict'
import { CompactEncrypt, importJWK, type JWK } from 'jose'
import { aRequest } from './presentation-request.ts'
import { send, type Verifier } from './verifier.ts'

/** The origin of the shop's pages by default. */
export const shop = 'https://shop.example'

/** Creates a request for browsers; returns what its pages get, and functions that answer. */
export async function aBrowserRequest(
  verifier: Pick<Verifier, 'aTenant'>,
  options: Parameters<typeof aRequest>[1] = {},
  more: object = {},
) {
  const digitalCredentials = { origins: [shop], ...more }
  const request = await aRequest(verifier, { ...options, request: { digitalCredentials, ...options.request } })
  const uri = String(request.opened.digitalCredentialsUri)
  const { status, headers, body } = await send(uri)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(headers.get('access-control-allow-origin'), '*')
  const { requests } = body.digital as { requests: { protocol: string; data: Record<string, unknown> }[] }
  const parameters = (requests.find(({ protocol }) => protocol.endsWith('unsigned'))?.data ?? {}) as BrowserParameters
  return { ...request, uri, requests, parameters, post: (answer: Answer, by?: string) => postAnswer(uri, answer, by) }
}

type BrowserParameters = Record<string, unknown> & { client_metadata: { jwks: { keys: JWK[] } } }
/** What a browser returns. */
export type Answer = { readonly protocol?: string; readonly data: unknown; readonly origin?: string }

/** Posts an answer as a browser does for a page, or as a server. @param by The header Origin. */
export function postAnswer(uri: string, { protocol = 'openid4vp-v1-unsigned', data, origin }: Answer, by?: string) {
  const body = new URLSearchParams({ protocol, data: typeof data === 'string' ? data : JSON.stringify(data) })
  if (origin !== undefined) body.set('origin', origin)
  return send(uri, { method: 'POST', body, ...(by !== undefined && { headers: { origin: by } }) })
}

/** Encrypts response parameters to the key of a request. */
export async function encrypted(
  { parameters }: { parameters: BrowserParameters },
  payload: object,
): Promise<{ response: string }> {
  const [key = {}] = parameters.client_metadata.jwks.keys
  const header = { alg: 'ECDH-ES', enc: 'A256GCM', kid: String(key.kid) }
  const bytes = new TextEncoder().encode(JSON.stringify(payload))
  return {
    response: await new CompactEncrypt(bytes).setProtectedHeader(header).encrypt(await importJWK(key, 'ECDH-ES')),
  }
}
