import { createSecretKey, hkdfSync } from 'node:crypto'
import type { TenantId } from '../caller.ts'
import { Memory } from '../memory/memory.ts'
import { remembered } from '../memory/recent.ts'
import type { Store, TenantTx } from '../store/store.ts'
import { decrypt, encrypt, versionOf } from './cipher.ts'
import { type DataKeys, type DataKeyVersions, dataKeyStore } from './tenant-keys.ts'

/** Where a sealed value is stored. Moved to another row, column or tenant it cannot be opened. */
export type SealedPlace = {
  readonly tenantId: TenantId
  readonly table: string
  readonly column: string
  readonly row: string
}

/** A sealed value was changed, moved, or sealed under a key that is not there. No repetition helps. */
export class BrokenSeal extends Error {
  override readonly name = 'BrokenSeal'
}

/**
 * Seals personal data and private keys at rest: AES-256-GCM under a data key per tenant, itself sealed under the master
 * key.
 */
export type Sealing = {
  /** Seals under the newest data key; that of another process up to an hour ago. */
  readonly seal: (place: SealedPlace, plain: Uint8Array | string) => Promise<Buffer>
  /** @throws BrokenSeal when the value was changed, moved, or sealed under another master key or a deleted data key */
  readonly open: (place: SealedPlace, sealed: Uint8Array) => Promise<Buffer>
  /**
   * Returns a subkey of the tenant, 32 bytes, for one purpose (HKDF-SHA256, RFC 5869). It stays the same when data keys
   * are rotated.
   */
  readonly derive: (tenantId: TenantId, purpose: string) => Promise<Buffer>
  /**
   * As `derive`, for what is valid for minutes at most and says so by itself, such as nonces. After
   * `chirograph recover` it is another key, so that what was used in the lost time is not accepted again.
   */
  readonly deriveShortLived: (tenantId: TenantId, purpose: string) => Promise<Buffer>
  /**
   * Seals the data keys of a tenant under the current master key, if the one before it seals them.
   *
   * @returns how many; 0 also if the tenant has no data key yet
   */
  readonly rewrap: (tenantId: TenantId) => Promise<number>
  /**
   * Makes the next data key of a tenant, if it has one. What the former ones sealed is opened as before.
   *
   * @param also Runs in the transaction that made the key.
   */
  readonly rotate: (tenantId: TenantId, also: (tx: TenantTx) => Promise<void>) => Promise<void>
  /** Returns the versions of the data keys of a tenant; null if it has none yet. */
  readonly versions: (tenantId: TenantId) => Promise<DataKeyVersions | null>
  /** Deletes the data keys before the newest one. What they sealed is lost. */
  readonly deleteFormer: (tenantId: TenantId) => Promise<void>
}

const KEY_BYTES = 32
/**
 * Other processes may have rotated so often since this one has read the keys. A value that names a later key is not
 * read for.
 */
const ROTATIONS_UNSEEN_MAX = 4

/**
 * Returns the sealing under a master key. Opened data keys are cached, so sealing normally costs no round trip.
 *
 * @param masterKey 32 bytes.
 * @param previous The master key before it, which still opens data keys; each is wrapped under the new one when it is
 *   opened.
 * @param restoredAt When the deployment was last recovered from an older state; null: never.
 */
export function sealingWith(
  masterKey: Uint8Array,
  store: Store,
  now: () => Date,
  memory = new Memory(),
  previous: Uint8Array | null = null,
  restoredAt: Date | null = null,
): Sealing {
  const former = previous === null ? [] : [createSecretKey(previous)]
  const atRest = dataKeyStore(store, [createSecretKey(masterKey), ...former], now)
  const dataKeys = memory.cache<Promise<DataKeys>>('keys.data_keys')
  const subkeys = memory.cache<Promise<Buffer>>('keys.subkeys')

  function keysOf(tenantId: TenantId): Promise<DataKeys> {
    return remembered(dataKeys, tenantId, now(), async () => (await atRest.load(tenantId)).keys)
  }

  async function keyOf(tenantId: TenantId, version: number) {
    const known = await keysOf(tenantId)
    if (version > known.newest && version <= known.newest + ROTATIONS_UNSEEN_MAX) dataKeys.delete(tenantId)
    const key = (await keysOf(tenantId)).byVersion.get(version)
    if (key === undefined) throw new BrokenSeal('not a sealed value of this tenant, or its data key was deleted')
    return key
  }

  async function subkey(tenantId: TenantId, purpose: string): Promise<Buffer> {
    return Buffer.from(hkdfSync('sha256', (await keysOf(tenantId)).root, '', `chirograph ${purpose}`, KEY_BYTES))
  }

  const derive: Sealing['derive'] = (tenantId, purpose) =>
    remembered(subkeys, `${tenantId} ${purpose}`, now(), () => subkey(tenantId, purpose))
  const era = restoredAt === null ? '' : ` since ${restoredAt.toISOString()}`

  return {
    seal: async (place, plain) => {
      const { newest, byVersion } = await keysOf(place.tenantId)
      const key = byVersion.get(newest)
      if (key === undefined) throw new Error('the tenant has no data key')
      return encrypt(key, newest, aadOf(place), plain)
    },
    open: async (place, sealed) => {
      const key = await keyOf(
        place.tenantId,
        inSeal(() => versionOf(sealed)),
      )
      return inSeal(() => decrypt(key, aadOf(place), sealed))
    },
    derive,
    deriveShortLived: (tenantId, purpose) => derive(tenantId, `${purpose}${era}`),
    rewrap: async (tenantId) =>
      (await atRest.versions(tenantId)) === null ? 0 : (await atRest.load(tenantId)).rewrapped,
    rotate: async (tenantId, also) => {
      await atRest.add(tenantId, also)
      dataKeys.delete(tenantId)
    },
    versions: atRest.versions,
    deleteFormer: async (tenantId) => {
      await atRest.deleteFormer(tenantId)
      dataKeys.delete(tenantId)
    },
  }
}

function inSeal<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new BrokenSeal(cause instanceof Error ? cause.message : 'the sealed value cannot be read', { cause })
  }
}

function aadOf({ tenantId, table, column, row }: SealedPlace): string {
  return `${tenantId}|${table}|${column}|${row}`
}
