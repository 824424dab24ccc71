import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where a test makes the verifier misbehave. */
export type Quirks = {
  readonly object?: (object: Record<string, unknown>) => Record<string, unknown>
  readonly header?: (header: Record<string, unknown>) => Record<string, unknown>
  readonly jwt?: (jwt: string) => string
  readonly serve?: { readonly status?: number; readonly type?: string; readonly location?: string }
  /** `after`: the verifier answers to a post once this has resolved. */
  readonly answer?: {
    readonly status?: number
    readonly type?: string
    readonly body?: string
    readonly after?: Promise<void>
  }
}

/** A verifier that shares no code with ours: did:jwk, a signed request by reference, answers by direct_post. */
export type ForeignVerifier = {
  readonly clientId: string
  readonly nonce: string
  readonly link: (extra?: string) => string
  readonly responseUri: string
  /** The forms that wallets posted. */
  readonly posted: URLSearchParams[]
  /** The forms with which wallets requested the request object. */
  readonly fetched: { readonly method: string; readonly form: URLSearchParams; readonly agent: string }[]
  readonly behave: (quirks: Quirks) => void
  readonly close: () => Promise<void>
}

/**
 * Starts a verifier on a loopback port that asks for `query`.
 *
 * @param sendsBack Whether its answer says where the browser goes next.
 */
export async function foreignVerifier(query: unknown, sendsBack = true): Promise<ForeignVerifier> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const did = `did:jwk:${encode(publicKey.export({ format: 'jwk' }))}`
  const clientId = `decentralized_identifier:${did}`
  const nonce = 'n-0S6_WzA2Mj.0123456789'
  const posted: URLSearchParams[] = []
  const fetched: ForeignVerifier['fetched'] = []
  let quirks: Quirks = {}
  let base = ''
  const requestObject = (walletNonce: string | null) =>
    signedObject({ did, clientId, nonce, query, privateKey }, `${base}/answers`, walletNonce, quirks)

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
    if (request.url === '/answers') {
      posted.push(form)
      const {
        status = 200,
        type = 'application/json',
        body = JSON.stringify(sendsBack ? { redirect_uri: `${base}/done#1` } : {}),
        after,
      } = quirks.answer ?? {}
      await after
      return response.writeHead(status, { 'content-type': type }).end(body)
    }
    fetched.push({ method: request.method ?? '', form, agent: request.headers['user-agent'] ?? '' })
    const { status = 200, type = 'application/oauth-authz-req+jwt', location } = quirks.serve ?? {}
    response
      .writeHead(status, { 'content-type': type, ...(location && { location }) })
      .end(requestObject(form.get('wallet_nonce')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const members = () =>
    `client_id=${encodeURIComponent(clientId)}&request_uri=${encodeURIComponent(`${base}/requests/1`)}`
  return {
    clientId,
    nonce,
    responseUri: `${base}/answers`,
    link: (extra = '') => `openid4vp://?${members()}${extra}`,
    posted,
    fetched,
    behave: (given) => {
      quirks = given
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

type Identity = {
  readonly did: string
  readonly clientId: string
  readonly nonce: string
  readonly query: unknown
  readonly privateKey: KeyObject
}

function signedObject(
  { did, clientId, nonce, query, privateKey }: Identity,
  responseUri: string,
  walletNonce: string | null,
  quirks: Quirks,
): string {
  const object = {
    client_id: clientId,
    response_type: 'vp_token',
    response_mode: 'direct_post',
    response_uri: responseUri,
    nonce,
    state: 'st-1',
    dcql_query: query,
    exp: Math.floor(Date.now() / 1000) + 300,
    ...(walletNonce === null ? {} : { wallet_nonce: walletNonce }),
  }
  const header = { alg: 'ES256', typ: 'oauth-authz-req+jwt', kid: `${did}#0` }
  const input = `${encode(quirks.header?.(header) ?? header)}.${encode(quirks.object?.(object) ?? object)}`
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const jwt = `${input}.${signature.toString('base64url')}`
  return quirks.jwt?.(jwt) ?? jwt
}

/** What a presentation says and proves, worked out by hand. */
export function readByHand(presentation: string) {
  const at = presentation.lastIndexOf('~') + 1
  const [jwt = '', ...encoded] = presentation.slice(0, at - 1).split('~')
  const payload = decode(jwt.split('.')[1])
  const [head = '', body = '', signature = ''] = presentation.slice(at).split('.')
  const jwk = payload.cnf.jwk
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
  const bound = decode(body)
  return {
    disclosed: encoded.map((one) => JSON.parse(Buffer.from(one, 'base64url').toString('utf8')).slice(1)),
    holderKey: jwk.x as string,
    typ: decode(head).typ,
    aud: bound.aud,
    nonce: bound.nonce,
    isSigned: verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url')),
    isWhole: bound.sd_hash === createHash('sha256').update(presentation.slice(0, at)).digest('base64url'),
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part: string | undefined) {
  return JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'))
}
