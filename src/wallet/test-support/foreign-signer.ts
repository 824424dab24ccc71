import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'

/** How the key of the foreign issuer is found; by a certificate, whose chain is base64 of DER, leaf first. */
export type Identity = 'did:jwk' | 'jwt-vc-issuer' | { readonly privateKey: KeyObject; readonly x5c: readonly string[] }

/** Where a test makes the signer lie. */
export type SigningLies = {
  /** The payload of each copy before it is signed. */
  readonly payload?: (payload: Record<string, unknown>, copy: number) => Record<string, unknown>
  /** What can be kept back, instead of what is usual. */
  readonly frame?: object
  /** The header before it is signed. */
  readonly header?: (header: Record<string, unknown>) => Record<string, unknown>
  /** The finished credential. */
  readonly raw?: (raw: string, copy: number) => string
  /** Credentials name an entry of a status list, and the list says this of it. */
  readonly listed?: Listed
}

/** What a status list says, and where a test makes it lie. */
export type Listed = {
  readonly status?: number
  readonly idx?: number
  readonly payload?: (payload: Record<string, unknown>) => Record<string, unknown>
  readonly header?: (header: Record<string, unknown>) => Record<string, unknown>
  /** Signed by a key that is not the issuer's. */
  readonly byStranger?: true
}

/** The type of what it issues. */
export const foreignVct = 'https://types.example/membership'

const claims = { member: { number: 'M-1', since: 2019 }, given_name: 'Zoë', clubs: ['chess', 'go'], jti: 'x' }

/** Signs credentials with a key of its own and a library that is not ours. */
export function foreignSigner(issuer: string, identity: Identity) {
  const made = typeof identity === 'object' ? identity.privateKey : null
  const privateKey = made ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const publicKey = createPublicKey(privateKey)
  const jwk = publicKey.export({ format: 'jwk' })
  const did = `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`
  // a certificate names its issuer
  const by = typeof identity === 'object' ? {} : { iss: identity === 'did:jwk' ? did : issuer }
  const named =
    typeof identity === 'object' ? { x5c: identity.x5c } : { kid: identity === 'did:jwk' ? `${did}#0` : 'k1' }
  const listUri = `${issuer}/list`
  const library = new SDJwtVcInstance({
    signer: (text: string) => rawSignature(privateKey, text),
    signAlg: 'ES256',
    hasher: (text: string | ArrayBuffer, alg: string) => digest(alg, text),
    hashAlg: 'sha-256',
    saltGenerator: () => randomBytes(16).toString('base64url'),
  })

  async function issue(key: object, copy: number, lies: SigningLies): Promise<string> {
    const seconds = Math.floor(Date.now() / 1000)
    const status = lies.listed && { status: { status_list: { idx: lies.listed.idx ?? 5, uri: listUri } } }
    const honest = {
      ...by,
      iat: seconds,
      exp: seconds + 3600,
      vct: foreignVct,
      cnf: { jwk: key },
      ...claims,
      ...status,
    }
    const payload = lies.payload?.(honest, copy) ?? honest
    const frame = lies.frame ?? { _sd: ['given_name', 'clubs'], member: { _sd: ['number'] } }
    const header = lies.header?.(named) ?? named
    // The library's types want a payload of known shape; lies have none.
    const raw = await library.issue(payload as never, frame as never, { header })
    return lies.raw?.(raw, copy) ?? raw
  }

  function statusList({ status = 0, payload, header, byStranger }: Listed): string {
    const seconds = Math.floor(Date.now() / 1000)
    const bytes = Buffer.alloc(16)
    // two bits an entry, entry 5 is the second of the second byte
    bytes[1] = status << 2
    const status_list = { bits: 2, lst: deflateSync(bytes).toString('base64url') }
    const honest = { sub: listUri, iat: seconds, exp: seconds + 600, status_list }
    const head = { typ: 'statuslist+jwt', alg: 'ES256', ...named }
    const parts = [header?.(head) ?? head, payload?.(honest) ?? honest]
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    const key = byStranger ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : privateKey
    return `${text}.${rawSignature(key, text)}`
  }
  return { jwk, issue, statusList }
}

/** Checks a key proof as OpenID4VCI, F.4 has it, by hand, and gives the key. */
export function provedKey(proof: string, issuer: string, hasClient = false): Record<string, unknown> {
  const [head = '', payload = '', signature = ''] = proof.split('.')
  const { typ, alg, jwk } = JSON.parse(Buffer.from(head, 'base64url').toString())
  const { aud, nonce, iat, iss } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const key = { key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
  const isSigned = verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))
  // tests move the clock of the wallet
  const isTimely = Math.abs(Date.now() / 1000 - iat) < 1200
  const fits = typ === 'openid4vci-proof+jwt' && alg === 'ES256' && aud === issuer && hasClient === (iss !== undefined)
  if (!fits || !isTimely || !isSigned || typeof nonce !== 'string' || 'd' in jwk) throw new Error('bad proof')
  return jwk
}

function rawSignature(key: KeyObject, text: string): string {
  return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

function digest(alg: string, text: string | ArrayBuffer): Uint8Array {
  const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text)
  return new Uint8Array(createHash(alg.replace('-', '')).update(bytes).digest())
}
