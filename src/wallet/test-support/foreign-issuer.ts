import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'

/** An answer before it leaves; a test bends it. */
export type Reply = { status: number; type: string; body: unknown; headers?: Record<string, string> }

/** Where a test makes the issuer lie. Names are those of {@link places}. */
export type Lies = {
  readonly reply?: Partial<Record<Place, (reply: Reply, ask: Ask) => Reply>>
  /** The payload of each copy before it is signed. */
  readonly payload?: (payload: Record<string, unknown>, copy: number) => Record<string, unknown>
  /** The header before it is signed. */
  readonly header?: (header: Record<string, unknown>) => Record<string, unknown>
  /** The finished credential. */
  readonly raw?: (raw: string, copy: number) => string
}

/** A request that arrived. `n` counts the requests to this place, from 1. */
export type Ask = { readonly body: string; readonly headers: IncomingMessage['headers']; readonly n: number }
type Place = 'offer' | 'issuer' | 'server' | 'keys' | 'token' | 'nonce' | 'credential' | 'notification'

/** A credential issuer that shares no code with ours: own JOSE, another SD-JWT library, its authorization server on another port. */
export type ForeignIssuer = {
  readonly issuer: string
  readonly server: string
  readonly offerUri: string
  /** What was asked of it, in order. */
  readonly calls: { readonly place: Place; readonly body: string; readonly headers: IncomingMessage['headers'] }[]
  /** The keys that wallets proved, as JWK. */
  readonly proved: Record<string, unknown>[]
  readonly offer: (change?: Record<string, unknown>) => object
  readonly lie: (lies: Lies) => void
  readonly close: () => Promise<void>
}

/** `identity`: how its key is found. */
export type Options = {
  readonly identity?: 'did:jwk' | 'jwt-vc-issuer'
  readonly batchSize?: number
  readonly txCode?: string
}

const vct = 'https://types.example/membership'
const claims = { member: { number: 'M-1', since: 2019 }, given_name: 'Zoë', clubs: ['chess', 'go'], jti: 'x' }

/** Starts the issuer on two loopback ports. */
export async function foreignIssuer(options: Options = {}): Promise<ForeignIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const calls: ForeignIssuer['calls'] = []
  const proved: ForeignIssuer['proved'] = []
  const spent = new Set<string>()
  const counts = new Map<Place, number>()
  let lies: Lies = {}
  let issuer = ''
  let server = ''

  const did = `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`
  const iss = () => (options.identity === 'jwt-vc-issuer' ? issuer : did)
  const header = () => (options.identity === 'jwt-vc-issuer' ? { kid: 'k1' } : { kid: `${did}#0` })

  const places: Record<Place, (ask: Ask) => Promise<Reply> | Reply> = {
    offer: () => ok(offer()),
    issuer: () =>
      ok({
        credential_issuer: issuer,
        authorization_servers: [server],
        credential_endpoint: `${issuer}/give`,
        nonce_endpoint: `${issuer}/fresh`,
        notification_endpoint: `${issuer}/heard`,
        ...(options.batchSize === undefined ? {} : { batch_credential_issuance: { batch_size: options.batchSize } }),
        credential_configurations_supported: {
          membership: {
            format: 'dc+sd-jwt',
            vct,
            scope: 'membership',
            cryptographic_binding_methods_supported: ['jwk'],
            proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES384', 'ES256'] } },
            credential_metadata: { display: [{ name: 'Membership', locale: 'en' }] },
          },
          licence: { format: 'mso_mdoc', doctype: 'org.iso.18013.5.1.mDL' },
        },
        unknown_member: true,
      }),
    server: () =>
      ok({
        issuer: server,
        token_endpoint: `${server}/t`,
        authorization_endpoint: `${server}/authorize`,
        grant_types_supported: ['urn:ietf:params:oauth:grant-type:pre-authorized_code'],
        'pre-authorized_grant_anonymous_access_supported': true,
      }),
    keys: () => ok({ issuer, jwks: { keys: [{ ...jwk, kid: 'k1' }] } }),
    token: ({ body }) => {
      const form = new URLSearchParams(body)
      const code = form.get('pre-authorized_code') ?? ''
      const rightTx = options.txCode === undefined || form.get('tx_code') === options.txCode
      if (code !== 'the-code' || spent.has(code) || !rightTx) {
        return { ...ok({ error: 'invalid_grant', error_description: 'no "such" code\u0007' }), status: 400 }
      }
      spent.add(code)
      return ok({ access_token: 'the-token', token_type: 'bearer', expires_in: 300 })
    },
    nonce: () => ok({ c_nonce: randomBytes(16).toString('hex') }),
    credential: async ({ body, headers }) => {
      if (headers.authorization !== 'Bearer the-token') return { ...ok({ error: 'invalid_token' }), status: 401 }
      const asked = JSON.parse(body)
      const keys = (asked.proofs?.jwt ?? []).map((proof: string) => provedKey(proof, issuer))
      proved.push(...keys)
      const raws = await Promise.all(keys.map((key: object, copy: number) => issue(key, copy)))
      return ok({ credentials: raws.map((credential) => ({ credential })), notification_id: 'news-1', extra: 1 })
    },
    notification: () => ({ status: 204, type: '', body: '' }),
  }

  async function issue(key: object, copy: number): Promise<string> {
    const seconds = Math.floor(Date.now() / 1000)
    const plain = { iss: iss(), iat: seconds, exp: seconds + 3600, vct, cnf: { jwk: key }, ...claims }
    const payload = lies.payload?.(plain, copy) ?? plain
    const sdJwt = new SDJwtVcInstance({
      signer: (data: string) => rawSignature(privateKey, data),
      signAlg: 'ES256',
      hasher: (data: string | ArrayBuffer, alg: string) => digest(alg, data),
      hashAlg: 'sha-256',
      saltGenerator: () => randomBytes(16).toString('base64url'),
    })
    const frame = { _sd: ['given_name', 'clubs'], member: { _sd: ['number'] } }
    const head = lies.header?.(header()) ?? header()
    // The library's types want a payload of known shape; lies have none.
    const raw = await sdJwt.issue(payload as never, frame as never, { header: head })
    return lies.raw?.(raw, copy) ?? raw
  }

  const ways: Record<string, Place> = {
    '/offer': 'offer',
    '/.well-known/openid-credential-issuer/club/a': 'issuer',
    '/.well-known/jwt-vc-issuer/club/a': 'keys',
    '/club/a/fresh': 'nonce',
    '/club/a/give': 'credential',
    '/club/a/heard': 'notification',
    '/.well-known/oauth-authorization-server/sso': 'server',
    '/sso/t': 'token',
  }
  const answerer = () =>
    createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const place = ways[request.url ?? '']
      if (place === undefined) return response.writeHead(404).end()
      const n = (counts.get(place) ?? 0) + 1
      counts.set(place, n)
      const ask = { body: Buffer.concat(chunks).toString('utf8'), headers: request.headers, n }
      calls.push({ place, body: ask.body, headers: ask.headers })
      const honest = await places[place](ask)
      const reply = lies.reply?.[place]?.(honest, ask) ?? honest
      const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
      response
        .writeHead(reply.status, { ...(reply.type && { 'content-type': reply.type }), ...reply.headers })
        .end(body)
    })
  const one = await listening(answerer())
  const other = await listening(answerer())
  issuer = `http://127.0.0.1:${one.port}/club/a`
  server = `http://127.0.0.1:${other.port}/sso`

  function offer(change: Record<string, unknown> = {}): object {
    const grant = {
      'pre-authorized_code': 'the-code',
      authorization_server: server,
      ...(options.txCode === undefined ? {} : { tx_code: { length: options.txCode.length, description: 'By mail' } }),
    }
    const grants = { 'urn:ietf:params:oauth:grant-type:pre-authorized_code': grant }
    return { credential_issuer: issuer, credential_configuration_ids: ['membership'], grants, ...change }
  }

  return {
    issuer,
    server,
    offerUri: `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`http://127.0.0.1:${one.port}/offer`)}`,
    calls,
    proved,
    offer,
    lie: (told) => {
      lies = told
    },
    close: async () => {
      await Promise.all([stop(one.server), stop(other.server)])
    },
  }
}

function ok(body: unknown): Reply {
  return { status: 200, type: 'application/json', body }
}

/** Checks a key proof as OpenID4VCI, F.4 has it, by hand. */
function provedKey(proof: string, issuer: string): Record<string, unknown> {
  const [head = '', payload = '', signature = ''] = proof.split('.')
  const { typ, alg, jwk } = JSON.parse(Buffer.from(head, 'base64url').toString())
  const { aud, nonce, iat, iss } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const key = { key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
  const signed = verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))
  const timely = Math.abs(Date.now() / 1000 - iat) < 60
  const fits = typ === 'openid4vci-proof+jwt' && alg === 'ES256' && aud === issuer && timely && iss === undefined
  if (!fits || !signed || typeof nonce !== 'string' || 'd' in jwk) throw new Error('bad proof')
  return jwk
}

function rawSignature(key: KeyObject, data: string): string {
  return sign('sha256', Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

function digest(alg: string, data: string | ArrayBuffer): Uint8Array {
  const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data)
  return new Uint8Array(createHash(alg.replace('-', '')).update(bytes).digest())
}

async function listening(server: Server): Promise<{ server: Server; port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
