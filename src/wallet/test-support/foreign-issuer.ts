import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CodeServer } from './code-server.ts'
import { metadataOf, type OfferOptions, offerOf, serverMetadataOf } from './foreign-documents.ts'
import { issueForeignMdoc, type MdocLies } from './foreign-mdoc.ts'
import { foreignSigner, type Identity, provedKey, type SigningLies } from './foreign-signer.ts'
import type { SealedMessages } from './sealed-messages.ts'

/** An answer before it leaves; a test bends it. */
export type Reply = { status: number; type: string; body: unknown; headers?: Record<string, string> }

/** Where a test makes the issuer lie. Names are those of {@link places}. */
export type Lies = SigningLies &
  MdocLies & {
    readonly reply?: Partial<Record<ReplyName, (reply: Reply, ask: Ask) => Reply | Promise<Reply>>>
  }

/** A request that arrived. `n` counts the requests to this place, from 1. */
export type Ask = { readonly body: string; readonly headers: IncomingMessage['headers']; readonly n: number }
type ReplyName =
  | 'offer'
  | 'issuer'
  /** Where the drafts had the metadata. */
  | 'olderIssuer'
  | 'server'
  | 'configuration'
  | 'par'
  | 'challenge'
  | 'keys'
  | 'token'
  | 'nonce'
  | 'credential'
  | 'deferred'
  | 'notification'
  | 'list'

/**
 * A credential issuer that shares no code with ours: own JOSE, another SD-JWT and another mdoc library, its
 * authorization server on another port.
 */
export type ForeignIssuer = {
  readonly issuer: string
  readonly server: string
  readonly offerUri: string
  /** The requests to it, in order. */
  readonly calls: { readonly place: ReplyName; readonly body: string; readonly headers: IncomingMessage['headers'] }[]
  /** The keys that wallets proved, as JWK. */
  readonly proved: Record<string, unknown>[]
  readonly offer: (change?: Record<string, unknown>) => object
  readonly lie: (lies: Lies) => void
  /** Its code flow. */
  readonly code: CodeServer
  readonly close: () => Promise<void>
}

/** `identity`: how its key is found. */
export type Options = OfferOptions & {
  readonly identity?: Identity
  readonly batchSize?: number
  /** How its messages are encrypted. */
  readonly sealed?: SealedMessages
  /** Reads the keys of proofs in another way: by key attestations. */
  readonly keysOf?: (proofs: Record<string, readonly string[]>) => Promise<Record<string, unknown>[]>
}

/** Starts the issuer on two loopback ports. */
export async function foreignIssuer(options: Options = {}): Promise<ForeignIssuer> {
  const calls: ForeignIssuer['calls'] = []
  const counts = new Map<ReplyName, number>()
  let lies: Lies = {}
  let places: Replies | null = null

  const answerer = () =>
    createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const place = ways[request.url ?? '']
      if (place === undefined || places === null) return response.writeHead(404).end()
      const n = (counts.get(place) ?? 0) + 1
      counts.set(place, n)
      const ask = { body: Buffer.concat(chunks).toString('utf8'), headers: request.headers, n }
      calls.push({ place, body: ask.body, headers: ask.headers })
      const honest = await places[place](ask)
      const reply = (await lies.reply?.[place]?.(honest, ask)) ?? honest
      const isReady = typeof reply.body === 'string' || Buffer.isBuffer(reply.body)
      const body = isReady ? reply.body : JSON.stringify(reply.body)
      response
        .writeHead(reply.status, { ...(reply.type && { 'content-type': reply.type }), ...reply.headers })
        .end(body)
    })
  const one = await listening(answerer())
  const other = await listening(answerer())
  const issuer = `http://127.0.0.1:${one.port}/club/a`
  const server = `http://127.0.0.1:${other.port}/sso`
  const proved: ForeignIssuer['proved'] = []
  const code = new CodeServer(server, options.code ?? {})
  places = placesOf({ issuer, server, options, proved, code, lies: () => lies })
  const offerUri = `http://127.0.0.1:${one.port}/offer`
  return {
    issuer,
    server,
    calls,
    proved,
    code,
    offerUri: `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(offerUri)}`,
    offer: (change = {}) => ({ ...offerOf(issuer, server, options), ...change }),
    lie: (next) => {
      lies = next
    },
    close: async () => {
      await Promise.all([stop(one.server), stop(other.server)])
    },
  }
}

const ways: Readonly<Record<string, ReplyName>> = {
  '/offer': 'offer',
  '/.well-known/openid-credential-issuer/club/a': 'issuer',
  '/club/a/.well-known/openid-credential-issuer': 'olderIssuer',
  '/.well-known/jwt-vc-issuer/club/a': 'keys',
  '/club/a/fresh': 'nonce',
  '/club/a/give': 'credential',
  '/club/a/later': 'deferred',
  '/club/a/heard': 'notification',
  '/club/a/list': 'list',
  '/.well-known/oauth-authorization-server/sso': 'server',
  '/sso/.well-known/openid-configuration': 'configuration',
  '/sso/t': 'token',
  '/sso/par': 'par',
  '/sso/challenge': 'challenge',
}

type Replies = Readonly<Record<ReplyName, (ask: Ask) => Promise<Reply> | Reply>>
type Setting = {
  readonly issuer: string
  readonly server: string
  readonly options: Options
  readonly proved: Record<string, unknown>[]
  readonly code: CodeServer
  readonly lies: () => Lies
}

function placesOf({ issuer, server, options, proved, code, lies }: Setting): Replies {
  const signer = foreignSigner(issuer, options.identity ?? 'did:jwk')
  let requested: unknown = 'membership'
  const issue = (key: object, copy: number) =>
    requested === 'licence' ? issueForeignMdoc(key, copy, lies()) : signer.issue(key, copy, lies())
  return {
    offer: () => ok(offerOf(issuer, server, options)),
    issuer: () => ok({ ...metadataOf(issuer, server, options.batchSize), ...options.sealed?.metadata }),
    olderIssuer: () => ({ ...ok({ error: 'not_found' }), status: 404 }),
    server: () => ok(options.code === undefined ? serverMetadataOf(server) : code.metadata),
    configuration: () => ({ ...ok({ error: 'not_found' }), status: 404 }),
    par: (ask) => code.push(ask),
    challenge: () => code.challenge(),
    keys: () => ok({ issuer, jwks: { keys: [{ ...signer.jwk, kid: 'k1' }] } }),
    token: options.code === undefined ? tokenPlace(options.txCode) : (ask) => code.token(ask),
    nonce: () => ok({ c_nonce: randomBytes(16).toString('hex') }),
    credential: async ({ body, headers }) => {
      if (options.code === undefined && headers.authorization !== 'Bearer the-token')
        return { ...ok({ error: 'invalid_token' }), status: 401 }
      const refusal = options.code === undefined ? null : code.refusal({ body, headers })
      if (refusal !== null) return refusal
      const request = await opened(options, body)
      const { proofs: sent = {}, credential_configuration_id: id } = Object(request)
      requested = id
      const byProof = async () =>
        (sent.jwt ?? []).map((proof: string) => provedKey(proof, issuer, options.code !== undefined))
      const keys = await (options.keysOf?.(sent) ?? byProof())
      proved.push(...keys)
      const raws = await Promise.all(keys.map(issue))
      return sealed(options, request, {
        credentials: raws.map((credential) => ({ credential })),
        notification_id: 'news-1',
        extra: 1,
      })
    },
    deferred: async ({ body, headers }) => {
      const refusal = options.code === undefined ? null : code.refusal({ body, headers })
      if (refusal !== null) return refusal
      const request = await opened(options, body)
      if (request.transaction_id !== 'tx-1') return { ...ok({ error: 'invalid_transaction_id' }), status: 400 }
      const raws = await Promise.all(proved.map(issue))
      return sealed(options, request, {
        credentials: raws.map((credential) => ({ credential })),
        notification_id: 'news-2',
      })
    },
    notification: () => ({ status: 204, type: '', body: '' }),
    list: () => ({ status: 200, type: 'application/statuslist+jwt', body: signer.statusList(lies().listed ?? {}) }),
  }
}

async function opened({ sealed }: Options, body: string): Promise<Record<string, unknown>> {
  return sealed === undefined || body.startsWith('{') ? JSON.parse(body) : sealed.open(body)
}

async function sealed(options: Options, request: Record<string, unknown>, body: object): Promise<Reply> {
  const wish = request.credential_response_encryption
  if (options.sealed === undefined || wish === undefined) return ok(body)
  return { status: 200, type: 'application/jwt', body: await options.sealed.seal(body, wish) }
}

/** Takes the code once, and only with the right transaction code. */
function tokenPlace(txCode: string | undefined): Replies['token'] {
  let spent = false
  return ({ body }) => {
    const form = new URLSearchParams(body)
    const isRight = txCode === undefined || form.get('tx_code') === txCode
    if (form.get('pre-authorized_code') !== 'the-code' || spent || !isRight) {
      return { ...ok({ error: 'invalid_grant', error_description: 'no "such" code\u0007' }), status: 400 }
    }
    spent = true
    return ok({ access_token: 'the-token', token_type: 'bearer', expires_in: 300 })
  }
}

function ok(body: unknown): Reply {
  return { status: 200, type: 'application/json', body }
}

async function listening(server: Server): Promise<{ server: Server; port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
