import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { encodeCbor } from '../../../protocols/cbor/encode.ts'

/** What a lie of an authenticator or browser changes. */
export type Lie = {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  /** UP 1, UV 4, BE 8, BS 16, AT 64. */
  readonly flags?: number
  readonly counter?: number
  readonly handle?: string
  readonly breaksSignature?: boolean
  readonly fmt?: string
  readonly attStmt?: ReadonlyMap<string, unknown>
}

type Options = { readonly challenge: string; readonly user?: { readonly id: string } }

/**
 * An authenticator in software with one passkey (ES256), and the browser in front of it. Written from WebAuthn Level 3,
 * 6 and 5.1.
 */
export class Authenticator {
  readonly id = randomBytes(16)
  readonly #key: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  #handle = ''
  counter = 0

  constructor() {
    this.#key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  }

  /** `navigator.credentials.create()`, in the JSON form of the response. */
  create(options: Options, lie: Lie = {}) {
    this.#handle = options.user?.id ?? ''
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' })
    const bytes = (text: string) => Buffer.from(text, 'base64url')
    const cose = encodeCbor(
      new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes(x)],
        [-3, bytes(y)],
      ]),
    )
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, cose])
    const authData = Buffer.concat([this.#authData(lie, lie.flags ?? 0x45), attested])
    const attestationObject = encodeCbor(
      new Map<string, never>([
        ['fmt', lie.fmt ?? 'none'],
        ['attStmt', lie.attStmt ?? new Map()],
        ['authData', authData],
      ] as never),
    )
    return this.#credential({
      clientDataJSON: clientData(lie.type ?? 'webauthn.create', options, lie),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'hybrid', 'telepathy'],
    })
  }

  /** `navigator.credentials.get()`, in the JSON form of the response. */
  get(options: Options, lie: Lie = {}) {
    const clientDataJSON = clientData(lie.type ?? 'webauthn.get', options, lie)
    const authData = this.#authData(lie, lie.flags ?? 0x05)
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    const signature = sign(
      'sha256',
      lie.breaksSignature ? Buffer.concat([signed, signed]) : signed,
      this.#key.privateKey,
    )
    return this.#credential({
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: lie.handle ?? this.#handle,
    })
  }

  #authData(lie: Lie, flags: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(lie.counter ?? this.counter)
    return Buffer.concat([sha256(lie.rpId ?? 'id.example'), Buffer.of(flags), counter])
  }

  #credential(response: object) {
    const id = this.id.toString('base64url')
    return {
      id,
      rawId: id,
      type: 'public-key',
      response,
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    }
  }
}

function clientData(type: string, { challenge }: Options, lie: Lie): string {
  const origin = lie.origin ?? 'https://id.example'
  const text = JSON.stringify({ type, challenge: lie.challenge ?? challenge, origin, crossOrigin: false })
  return Buffer.from(text).toString('base64url')
}

function sha256(value: string | Buffer): Buffer {
  return createHash('sha256').update(value).digest()
}
