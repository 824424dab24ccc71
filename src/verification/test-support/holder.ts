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

type Key = { readonly privateKey: KeyObject; readonly jwk: object }

/** Generates a key pair without product code. */
export function aKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, jwk: publicKey.export({ format: 'jwk' }) }
}

/** A foreign issuer, identified by a did:jwk. */
export type Issuer = {
  readonly did: string
  /** Returns a status list token. `bytes`: the list, one bit per entry. */
  readonly statusList: (uri: string, bytes: Uint8Array) => string
  readonly issue: (
    claims: Record<string, unknown>,
    about: { cnf?: object; vct?: string; payload?: object; header?: object; frame?: object },
  ) => Promise<string>
}

/**
 * Creates an issuer, by default with a new key. By default all claims are selectively disclosable; `frame` changes
 * that.
 */
export function anIssuer({ privateKey, jwk }: Key = aKey()): Issuer {
  const did = `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString('base64url')}`
  return {
    did,
    statusList: (uri, bytes) => {
      const seconds = Math.floor(Date.now() / 1000)
      const status_list = { bits: 1, lst: deflateSync(bytes).toString('base64url') }
      const payload = { iss: did, sub: uri, iat: seconds, exp: seconds + 600, ttl: 300, status_list }
      return jws({ typ: 'statuslist+jwt', alg: 'ES256', kid: `${did}#0` }, payload, { privateKey, jwk })
    },
    issue: (claims, { cnf, vct = membership, payload = {}, header = {}, frame = { _sd: Object.keys(claims) } }) => {
      const seconds = Math.floor(Date.now() / 1000)
      const plain = { iss: did, iat: seconds - 60, vct, ...(cnf && { cnf: { jwk: cnf } }), ...claims, ...payload }
      const instance = new SDJwtVcInstance({
        signer: (text: string) => signature(privateKey, text),
        signAlg: 'ES256',
        hasher: digest,
        hashAlg: 'sha-256',
        saltGenerator: () => randomBytes(16).toString('base64url'),
      })
      // The library's types require a payload of a static type.
      return instance.issue(plain as never, frame as never, {
        header: { kid: `${did}#0`, ...header },
      })
    },
  }
}

/** The type of credentials by default. */
export const membership = 'https://types.example/membership'

/** The parameters of a key binding. */
export type Binding = {
  readonly nonce: string
  readonly aud: string
  readonly iat?: number
  readonly sdHash?: string
  readonly typ?: string
  /** Further claims. */
  readonly claims?: object
  readonly key: Key
}

/** Returns a presentation with the disclosures of these claims and a key binding. */
export function present(credential: string, names: readonly string[], binding: Binding | null): string {
  const [jwt = '', ...disclosures] = credential.replace(/~$/, '').split('~')
  const kept = disclosures.filter((one) => names.includes(JSON.parse(Buffer.from(one, 'base64url').toString())[1]))
  const shown = `${[jwt, ...kept].join('~')}~`
  if (binding === null) return shown
  const { nonce, aud, iat, sdHash, typ = 'kb+jwt', claims = {}, key } = binding
  const sd_hash = sdHash ?? createHash('sha256').update(shown).digest('base64url')
  const payload = { iat: iat ?? Math.floor(Date.now() / 1000), aud, nonce, sd_hash, ...claims }
  return shown + jws({ typ, alg: 'ES256' }, payload, key)
}

/** Returns whether a compact JWS is signed with the key (ES256). */
export function isSignedBy(compact: string, jwk: Record<string, string>): boolean {
  const [header, payload, signed = ''] = compact.split('.')
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const bytes = Buffer.from(`${header}.${payload}`)
  return verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signed, 'base64url'))
}

function jws(header: object, payload: object, { privateKey }: Key): string {
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${signature(privateKey, text)}`
}

function signature(key: KeyObject, text: string): string {
  return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}

function digest(text: string | ArrayBuffer, alg: string): Uint8Array {
  const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text)
  return createHash(alg.replace('-', '')).update(bytes).digest()
}
