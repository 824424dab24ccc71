import { fork } from 'node:child_process'
import {
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type JsonWebKeyInput,
  sign,
  verify,
} from 'node:crypto'
import { fileURLToPath } from 'node:url'

/** The loads that are compared with their floor. */
export const flooredLoads = ['issuance', 'presentation', 'haip'] as const
/** One of {@link flooredLoads}. */
export type FlooredLoad = (typeof flooredLoads)[number]

/**
 * How much cryptography does one issuance need at least? One import of the holder's key, one check of its proof, one
 * signature over the credential, twelve hashes. Median of rounds in this process, in ms.
 */
export function cryptoFloorMs(): number {
  const once = pieceOfWork('issuance')
  const rounds = Array.from({ length: 11 }, () => {
    const from = performance.now()
    for (let i = 0; i < 300; i += 1) once()
    return (performance.now() - from) / 300
  })
  return median(rounds)
}

/**
 * The floor under load: measured in a process beside the server, one piece at a time, with CPU caches that other work
 * has used meanwhile.
 */
export type FloorBeside = {
  /** @returns CPU of one piece in ms: the median, and what a tenth of the pieces stayed below. */
  readonly stop: () => Promise<{ readonly median: number; readonly tenth: number }>
}

/** Starts to measure {@link FloorBeside}; costs the machine about 2 % of a core. */
export function startFloorBeside(load: FlooredLoad): FloorBeside {
  const child = fork(fileURLToPath(new URL('./floor-beside.ts', import.meta.url)), [load])
  const found = new Promise<number[]>((resolve) => child.once('message', (values) => resolve(values as number[])))
  return {
    stop: async () => {
      child.send('stop')
      const values = (await found).sort((a, b) => a - b)
      return { median: median(values), tenth: values[Math.floor(values.length / 10)] ?? Number.NaN }
    },
  }
}

/** Returns the least cryptography of one flow of a load. */
export function pieceOfWork(load: FlooredLoad): () => void {
  return { issuance: onePieceOfIssuance, presentation: onePieceOfPresentation, haip: onePieceOfHaip }[load]()
}

/**
 * Signatures of the wallet provider, whose key the server knows: an attestation at the pushed request, one at the token
 * request, one of keys.
 */
const ATTESTATIONS = 3
/**
 * Signatures of the wallet, whose key each request brings: two proofs of an attested key, two of DPoP, one of the key
 * of the credential.
 */
const PROOFS = 5

/**
 * An issuance by HAIP, of the issuer alone: the signatures that arrive are verified, and the credential is hashed and
 * signed.
 */
function onePieceOfHaip(): () => void {
  const [provider, issuance] = [keyPair(), onePieceOfIssuance()]
  const text = Buffer.alloc(420, 7)
  const attestation = sign('sha256', text, { key: provider.privateKey, dsaEncoding: 'ieee-p1363' })
  const key = createPublicKey(inJwk(provider.jwk))
  const proof = onePieceOfProof()
  return () => {
    for (let n = 0; n < ATTESTATIONS; n += 1) verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, attestation)
    for (let n = 1; n < PROOFS; n += 1) proof()
    issuance()
  }
}

/**
 * A presentation by `direct_post.jwt`, of both sides. The verifier makes a key for the response and signs the request;
 * the wallet verifies it, makes the key binding, a key of its own, and the secret that encrypts; the verifier computes
 * the secret too, and verifies issuer and holder.
 */
function onePieceOfPresentation(): () => void {
  const [issuer, holder, verifier] = [keyPair(), keyPair(), keyPair()]
  const text = Buffer.alloc(1500, 7)
  const signed = [issuer, holder, verifier].map(
    (by) => [by.jwk, sign('sha256', text, { key: by.privateKey, dsaEncoding: 'ieee-p1363' })] as const,
  )
  return () => {
    const [response, ephemeral] = [keyPair(), keyPair()]
    for (const { privateKey } of [verifier, holder])
      sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    for (const [jwk, signature] of signed)
      verify('sha256', text, { key: createPublicKey(inJwk(jwk)), dsaEncoding: 'ieee-p1363' }, signature)
    for (const [own, other] of [
      [response, ephemeral],
      [ephemeral, response],
    ] as const)
      diffieHellman({ privateKey: own.privateKey, publicKey: createPublicKey(inJwk(other.jwk)) })
  }
}

function keyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, jwk: publicKey.export({ format: 'jwk' }) }
}

function inJwk(key: JsonWebKeyInput['key']): JsonWebKeyInput {
  return { key, format: 'jwk' }
}

/** The key of a proof is imported, and its signature verified. */
function onePieceOfProof(): () => void {
  const { privateKey, jwk } = keyPair()
  const proof = Buffer.alloc(420, 7)
  const signature = sign('sha256', proof, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return () => {
    verify('sha256', proof, { key: createPublicKey(inJwk(jwk)), dsaEncoding: 'ieee-p1363' }, signature)
  }
}

function onePieceOfIssuance(): () => void {
  const { privateKey } = keyPair()
  const credential = Buffer.alloc(420, 7)
  const disclosure = Buffer.alloc(80, 7)
  const proof = onePieceOfProof()
  return () => {
    proof()
    sign('sha256', credential, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    for (let i = 0; i < 12; i += 1) createHash('sha256').update(disclosure).digest()
  }
}

/** Returns the median. Sorts the values. */
export function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
