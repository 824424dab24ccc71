import { fork } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { fileURLToPath } from 'node:url'

/**
 * How much cryptography does one issuance need at least? One import of the holder's key, one check of its proof, one signature over the credential,
 * twelve hashes. Median of rounds in this process, in ms.
 */
export function cryptoFloorMs(): number {
  const once = pieceOfWork()
  const rounds = Array.from({ length: 11 }, () => {
    const from = performance.now()
    for (let i = 0; i < 300; i += 1) once()
    return (performance.now() - from) / 300
  })
  return median(rounds)
}

/** The floor under load: measured in a process beside the server, one piece at a time, with CPU caches that other work has used meanwhile. */
export type FloorBeside = {
  /** @returns CPU of one piece in ms: the median, and what a tenth of the pieces stayed below. */
  readonly stop: () => Promise<{ readonly median: number; readonly tenth: number }>
}

/** Starts to measure {@link FloorBeside}; costs the machine about 2 % of a core. */
export function startFloorBeside(): FloorBeside {
  const child = fork(fileURLToPath(new URL('./floor-beside.ts', import.meta.url)))
  const found = new Promise<number[]>((resolve) => child.once('message', (values) => resolve(values as number[])))
  return {
    stop: async () => {
      child.send('stop')
      const values = (await found).sort((a, b) => a - b)
      return { median: median(values), tenth: values[Math.floor(values.length / 10)] ?? Number.NaN }
    },
  }
}

/** Returns the work that {@link cryptoFloorMs} repeats. */
export function pieceOfWork(): () => void {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const proof = Buffer.alloc(420, 7)
  const disclosure = Buffer.alloc(80, 7)
  const signature = sign('sha256', proof, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return () => {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    verify('sha256', proof, { key, dsaEncoding: 'ieee-p1363' }, signature)
    sign('sha256', proof, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    for (let i = 0; i < 12; i += 1) createHash('sha256').update(disclosure).digest()
  }
}

/** Returns the median. Sorts the values. */
export function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
