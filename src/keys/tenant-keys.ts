import { createSecretKey, type KeyObject } from 'node:crypto'
import type { TenantId } from '../caller.ts'
import { randomBytes } from '../crypto/random.ts'
import { type Store, sql, type TenantTx } from '../store/store.ts'
import { decrypt, encrypt } from './cipher.ts'

/** The data keys of a tenant. */
export type DataKeys = {
  /** Seals; its versions so far are 1 to `newest`, except those that were deleted. */
  readonly newest: number
  readonly byVersion: ReadonlyMap<number, KeyObject>
  /**
   * Keys for one purpose are derived from it. It is not rotated with the others: what was derived is in links, codes
   * and hashes.
   */
  readonly root: KeyObject
}

/** Versions of the data keys of a tenant. `rotatedAt`: when the newest one was made; null if it is the first one. */
export type DataKeyVersions = { readonly newest: number; readonly oldest: number; readonly rotatedAt: Date | null }

/** The data keys at rest, each wrapped under the master key. */
type DataKeyStore = {
  /**
   * Returns those of a tenant, which are made at first use. Keys that the former master key wraps are wrapped again.
   */
  readonly load: (tenantId: TenantId) => Promise<{ readonly keys: DataKeys; readonly rewrapped: number }>
  /** Returns which there are; null if there is none yet. */
  readonly versions: (tenantId: TenantId) => Promise<DataKeyVersions | null>
  /**
   * Makes the next one where there is one, and runs `also` in that transaction. Of concurrent callers one does.
   *
   * @throws Error after 255 of them
   */
  readonly add: (tenantId: TenantId, also: (tx: TenantTx) => Promise<void>) => Promise<void>
  /** Deletes all before the newest one: what they sealed cannot be opened any more. */
  readonly deleteFormer: (tenantId: TenantId) => Promise<void>
}

/** Version of the root in the table. */
const ROOT = 0
/** Format of a wrapped key. */
const WRAPPED = 1
const KEY_BYTES = 32
/** A sealed value has one byte for it. */
const VERSION_MAX = 255

type Row = { readonly version: number; readonly wrapped: Buffer }

const listKeys = sql('keys.list_data_keys', 'select version, wrapped from tenant_key where tenant_id = $1')
const insertKeys = sql(
  'keys.insert_data_keys',
  `insert into tenant_key (tenant_id, version, wrapped, created_at)
   select $1, version, wrapped, $4 from unnest($2::int[], $3::bytea[]) as made (version, wrapped) on conflict do nothing returning version`,
)
// Another process may have wrapped it again before.
const rewrapKey = sql(
  'keys.rewrap_data_key',
  'update tenant_key set wrapped = $4 where tenant_id = $1 and version = $2 and wrapped = $3',
)
const findVersions = sql(
  'keys.find_data_key_versions',
  `select max(version)::int as newest, min(version) filter (where version > ${ROOT})::int as oldest,
     max(created_at) filter (where version > 1) as "rotatedAt" from tenant_key where tenant_id = $1`,
)
const deleteFormer = sql(
  'keys.delete_former_data_keys',
  `delete from tenant_key where tenant_id = $1 and version > ${ROOT}
     and version < (select max(version) from tenant_key where tenant_id = $1)`,
)

/** Master keys: the first one wraps, each opens. */
type Masters = readonly [KeyObject, ...KeyObject[]]

/** Returns the data keys at rest. */
export function dataKeyStore(store: Store, masters: Masters, now: () => Date): DataKeyStore {
  const wrapNew = (tenantId: TenantId, version: number) =>
    encrypt(masters[0], WRAPPED, aadOf(tenantId, version), randomBytes(KEY_BYTES))

  async function versions(tenantId: TenantId): Promise<DataKeyVersions | null> {
    type Found = { newest: number | null; oldest: number | null; rotatedAt: Date | null }
    const [row] = await store.single(tenantId, (tx) => tx.rows<Found>(findVersions, [tenantId]))
    if (row === undefined || row.newest === null || row.oldest === null) return null
    return { newest: row.newest, oldest: row.oldest, rotatedAt: row.rotatedAt }
  }

  async function loadRows(tenantId: TenantId): Promise<Row[]> {
    const rowsOf = (tx: TenantTx) => tx.rows<Row>(listKeys, [tenantId])
    return store.inTenant(tenantId, async (tx) => {
      const found = await rowsOf(tx)
      if (found.length > 0) return found
      const made = [ROOT, 1]
      const wrapped = made.map((version) => wrapNew(tenantId, version))
      await tx.rows(insertKeys, [tenantId, made, wrapped, now()])
      // Another process may have inserted its keys first.
      return rowsOf(tx)
    })
  }

  return {
    versions,
    load: async (tenantId) => {
      const rows = await loadRows(tenantId)
      const opened = await Promise.all(rows.map((row) => openKey(store, masters, tenantId, row)))
      const byVersion = new Map(opened.map(({ version, key }) => [version, key]))
      const root = byVersion.get(ROOT)
      if (root === undefined) throw new Error('the tenant has no data key')
      byVersion.delete(ROOT)
      const rewrapped = opened.filter(({ isRewrapped }) => isRewrapped).length
      return { keys: { newest: Math.max(...byVersion.keys()), byVersion, root }, rewrapped }
    },
    add: async (tenantId, also) => {
      const known = await versions(tenantId)
      if (known === null) return
      const next = known.newest + 1
      if (next > VERSION_MAX) throw new Error(`a tenant has at most ${VERSION_MAX} data keys`)
      await store.inTenant(tenantId, async (tx) => {
        const made = await tx.rows(insertKeys, [tenantId, [next], [wrapNew(tenantId, next)], now()])
        // Another process may have made it first.
        if (made.length > 0) await also(tx)
      })
    },
    deleteFormer: async (tenantId) => {
      await store.single(tenantId, (tx) => tx.rows(deleteFormer, [tenantId]))
    },
  }
}

/** Opens a key; one that the former master key wraps is wrapped again. */
async function openKey(store: Store, masters: Masters, tenantId: TenantId, { version, wrapped }: Row) {
  const aad = aadOf(tenantId, version)
  const { plain, by } = unwrap(masters, wrapped, aad)
  const isRewrapped = by !== masters[0]
  if (isRewrapped) {
    const again = encrypt(masters[0], WRAPPED, aad, plain)
    await store.single(tenantId, (tx) => tx.rows(rewrapKey, [tenantId, version, wrapped, again]))
  }
  return { version, key: createSecretKey(plain), isRewrapped }
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

function aadOf(tenantId: TenantId, version: number): string {
  return `tenant_key|${tenantId}|${version}`
}
