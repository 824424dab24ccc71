import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { makeBearerSecret, readBearerSecret } from '../../keys/bearer-secret.ts'
import type { SealedPlace } from '../../keys/sealing.ts'
import { networkOf } from '../../memory/network.ts'
import type { Platform } from '../../platform.ts'
import { inPieces } from '../../store/in-pieces.ts'
import { platformTenantId } from '../../store/store.ts'
import { deleteKeptPaths, findKeptPath, insertKeptPath } from './kept-path-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing' | 'rateLimiter'>

/** A path arrived in a request line, which is shorter. */
const PATH_BYTES_MAX = 16_384

/**
 * Keeps a path that is too long for a cookie, compressed and sealed, until it expires. It may be read more than once,
 * since answers get lost.
 *
 * @param path At most 16,384 bytes.
 * @returns the secret that opens it
 * @throws Fault `request.rate_limited`: too many were kept for the address within a minute
 */
export async function keepPath(needs: Needs, path: string, ip: string, ttlSeconds: number): Promise<string> {
  const now = needs.clock.now()
  const network = networkOf(ip) ?? ''
  needs.rateLimiter.admit('pages.kept_paths', network, now)
  needs.rateLimiter.count('pages.kept_paths', network, now)
  const { id, hash, text } = makeBearerSecret(platformTenantId)
  const sealedPath = await needs.sealing.seal(placeOf(id), deflateRawSync(path))
  const expiresAt = new Date(now.getTime() + ttlSeconds * 1000)
  await needs.store.single(platformTenantId, (tx) => insertKeptPath(tx, { id, hash, sealedPath, expiresAt }))
  return text
}

/** Returns a path that {@link keepPath} kept; null if it has expired, or the secret is not one of these. */
export async function findPath(
  { store, clock, sealing }: Pick<Needs, 'store' | 'clock' | 'sealing'>,
  text: string,
): Promise<string | null> {
  const secret = readBearerSecret(text)
  if (secret === null || secret.tenantId !== platformTenantId) return null
  const sealed = await store.single(platformTenantId, (tx) => findKeptPath(tx, secret, clock.now()))
  if (sealed === null) return null
  const packed = await sealing.open(placeOf(secret.id), sealed)
  return inflateRawSync(packed, { maxOutputLength: PATH_BYTES_MAX }).toString()
}

/** Deletes the expired paths. */
export function sweepKeptPaths(needs: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal): Promise<void> {
  const now = needs.clock.now()
  return inPieces(needs, 'expired paths of the sign-in', signal, (tx, limit) => deleteKeptPaths(tx, now, limit))
}

function placeOf(row: string): SealedPlace {
  return { tenantId: platformTenantId, table: 'kept_path', column: 'sealed_path', row }
}
