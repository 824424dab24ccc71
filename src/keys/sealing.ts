import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { TenantId } from '../caller.ts'
import { randomBytes } from '../crypto/random.ts'
import { Memory } from '../memory/memory.ts'
import { remembered } from '../memory/recent.ts'
import { type Store, sql, type TenantTx } from '../store/store.ts'

/** Where a sealed value is stored. Moved to another row, column or tenant it cannot be opened. */
export type SealedPlace = {
  readonly tenantId: TenantId
  readonly table: string
  readonly column: string
  readonly row: string
}

/** Seals personal data and private keys at rest: AES-256-GCM under a data key per tenant, itself sealed under the master key. */
export type Sealing = {
  readonly seal: (place: SealedPlace, plain: Uint8Array | string) => Promise<Buffer>
  /** @throws Error when the value was changed, moved, or sealed under another master key. */
  readonly open: (place: SealedPlace, sealed: Uint8Array) => Promise<Buffer>
  /** Returns a subkey of the tenant's data key, 32 bytes, for one purpose (HKDF-SHA256, RFC 5869). */
  readonly derive: (tenantId: TenantId, purpose: string) => Promise<Buffer>
  /**
   * Seals the data key of a tenant under the current master key, if the one before it seals it.
   *
   * @returns whether it did; false also if the tenant has no data key yet
   */
  readonly rewrap: (tenantId: TenantId) => Promise<boolean>
}

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

const findKey = sql('keys.find_data_key', 'select wrapped from tenant_key where tenant_id = $1 and version = 1')
const insertKey = sql(
  'keys.insert_data_key',
  `insert into tenant_key (tenant_id, version, wrapped, created_at) values ($1, 1, $2, $3) on conflict do nothing`,
)

// Another process may have wrapped it again before.
const rewrapKey = sql(
  'keys.rewrap_data_key',
  'update tenant_key set wrapped = $3 where tenant_id = $1 and version = 1 and wrapped = $2',
)

/**
 * Returns the sealing under a master key. Opened data keys are cached, so sealing normally costs no round trip.
 *
 * @param masterKey 32 bytes.
 * @param previous The master key before it, which still opens data keys; each is wrapped under the new one when it is opened.
 */
export function sealingWith(
  masterKey: Uint8Array,
  store: Store,
  now: () => Date,
  memory = new Memory(),
  previous: Uint8Array | null = null,
): Sealing {
  const master = createSecretKey(masterKey)
  const masters = previous === null ? [master] : [master, createSecretKey(previous)]
  const dataKeys = memory.cache<Promise<KeyObject>>('keys.data_keys')
  const subkeys = memory.cache<Promise<Buffer>>('keys.subkeys')

  function dataKey(tenantId: TenantId): Promise<KeyObject> {
    return remembered(dataKeys, tenantId, now(), () => loadKey(tenantId))
  }

  async function loadKey(tenantId: TenantId): Promise<KeyObject> {
    const aad = aadOfKey(tenantId)
    const wrapped = await store.inTenant(tenantId, async (tx) => {
      const found = await wrappedIn(tx)
      if (found !== null) return found
      await tx.rows(insertKey, [tenantId, encrypt(master, aad, randomBytes(KEY_BYTES)), now()])
      // Another process may have inserted its key first.
      return wrappedIn(tx)
    })
    if (wrapped === null) throw new Error('the tenant has no data key')
    return createSecretKey((await current(tenantId, wrapped)).plain)
  }

  /** Opens a data key; one that the former master key seals is sealed again. */
  async function current(tenantId: TenantId, wrapped: Buffer): Promise<{ plain: Buffer; isRewrapped: boolean }> {
    const aad = aadOfKey(tenantId)
    const { plain, by } = unwrap(masters, wrapped, aad)
    if (by !== master) {
      await store.single(tenantId, (tx) => tx.rows(rewrapKey, [tenantId, wrapped, encrypt(master, aad, plain)]))
    }
    return { plain, isRewrapped: by !== master }
  }

  async function subkey(tenantId: TenantId, purpose: string): Promise<Buffer> {
    return Buffer.from(hkdfSync('sha256', await dataKey(tenantId), '', `chirograph ${purpose}`, KEY_BYTES))
  }

  return {
    seal: async (place, plain) => encrypt(await dataKey(place.tenantId), aadOf(place), plain),
    open: async (place, sealed) => decrypt(await dataKey(place.tenantId), aadOf(place), sealed),
    derive: (tenantId, purpose) =>
      remembered(subkeys, `${tenantId} ${purpose}`, now(), () => subkey(tenantId, purpose)),
    rewrap: async (tenantId) => {
      const wrapped = await store.single(tenantId, wrappedIn)
      return wrapped !== null && (await current(tenantId, wrapped)).isRewrapped
    },
  }
}

/** Opens a data key with one of the master keys. @throws Error if none opens it */
function unwrap(masters: readonly KeyObject[], wrapped: Buffer, aad: string): { plain: Buffer; by: KeyObject } {
  let cause: unknown
  for (const by of masters) {
    try {
      return { plain: decrypt(by, aad, wrapped), by }
    } catch (error) {
      cause = error
    }
  }
  throw new Error('MASTER_KEY is not the key that this database was sealed with: set that key again', { cause })
}

async function wrappedIn(tx: TenantTx): Promise<Buffer | null> {
  const [row] = await tx.rows<{ wrapped: Buffer }>(findKey, [tx.tenantId])
  return row?.wrapped ?? null
}

function aadOfKey(tenantId: TenantId): string {
  return `tenant_key|${tenantId}`
}

function aadOf({ tenantId, table, column, row }: SealedPlace): string {
  return `${tenantId}|${table}|${column}|${row}`
}

/** version (1) | iv (12) | tag (16) | ciphertext. Ivs are random: fine for 2^32 values under one key (NIST SP 800-38D 8.3). */
function encrypt(key: KeyObject, aad: string, plain: Uint8Array | string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(aad))
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
  const rest = cipher.final()
  return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), body, rest])
}

function decrypt(key: KeyObject, aad: string, sealed: Uint8Array): Buffer {
  if (sealed[0] !== VERSION || sealed.length < 1 + IV_BYTES + TAG_BYTES) throw new Error('not a sealed value')
  const tagAt = 1 + IV_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, tagAt), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(aad))
  decipher.setAuthTag(sealed.subarray(tagAt, tagAt + TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(tagAt + TAG_BYTES)), decipher.final()])
}
