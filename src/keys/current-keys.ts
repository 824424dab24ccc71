import type { TenantId } from '../caller.ts'
import { canonical } from '../crypto/jwk.ts'
import type { SigningKey } from '../crypto/signing-key.ts'
import { newId } from '../store/row-id.ts'
import { type Store, sql, type TenantTx } from '../store/store.ts'
import type { KeyProviders } from './key-provider.ts'
import type { Sealing } from './sealing.ts'

/** What a key may sign; a key never serves two uses [SEC-72]. */
export type SigningKeyUsage = 'credential' | 'request' | 'status' | 'access-token'

/** The rows of the keys that sign now, one for each usage of a tenant, and of those that did. */
export type CurrentKeys = {
  /** Makes it if there is none. */
  readonly load: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<SigningKey>
  /** Makes a key beside a possible rival: the unique index lets one of them be current. */
  readonly add: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
  readonly retire: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
  /** Destroys private halves that nobody signs with any more, here or in another process. */
  readonly destroySpent: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
}

type Row = { id: string; sealed_private: Buffer; provider: string }

const findCurrent = sql(
  'key_ring.find_current',
  `select id, sealed_private, provider from signing_key where tenant_id = $1 and usage = $2 and retired_at is null`,
)
const insertKey = sql(
  'key_ring.insert_current',
  `insert into signing_key (tenant_id, id, usage, alg, public_jwk, sealed_private, provider, created_at)
   values ($1, $2, $3, 'ES256', $4::jsonb, $5, $6, $7) on conflict do nothing returning id`,
)
const retireKey = sql(
  'key_ring.retire_key',
  `update signing_key set retired_at = $3 where tenant_id = $1 and id = $2 and retired_at is null`,
)
const listSpent = sql(
  'key_ring.list_spent',
  `select id, sealed_private, provider from signing_key
   where tenant_id = $1 and usage = $2 and sealed_private is not null and retired_at < $3::timestamptz - interval '1 hour'`,
)
const clearKey = sql(
  'key_ring.clear_key',
  `update signing_key set sealed_private = null where tenant_id = $1 and id = $2`,
)

/** The rows of current keys, on any provider. */
export function currentKeys(store: Store, sealing: Sealing, now: () => Date, providers: KeyProviders): CurrentKeys {
  async function load(tenantId: TenantId, usage: SigningKeyUsage): Promise<SigningKey> {
    const found = await store.single(tenantId, (tx) => currentIn(tx, usage))
    if (found !== null) return opened(tenantId, found)
    await add(tenantId, usage)
    const made = await store.single(tenantId, (tx) => currentIn(tx, usage))
    if (made === null) throw new Error('the key that was just made is gone')
    return opened(tenantId, made)
  }

  async function add(tenantId: TenantId, usage: SigningKeyUsage): Promise<void> {
    const id = newId()
    const { stored, key } = await providers.maker.generate('P-256', id)
    const sealed = await sealing.seal(placeOf(tenantId, id), stored)
    const publicJwk = JSON.stringify(canonical(key.publicJwk))
    const values = [tenantId, id, usage, publicJwk, sealed, providers.maker.name, now()]
    const kept = await store.single(tenantId, (tx) => tx.rows(insertKey, values))
    if (kept.length === 0) await providers.maker.destroy(stored)
  }

  async function retire(tenantId: TenantId, usage: SigningKeyUsage): Promise<void> {
    const old = await store.single(tenantId, (tx) => currentIn(tx, usage))
    if (old !== null) await store.single(tenantId, (tx) => tx.rows(retireKey, [tenantId, old.id, now()]))
  }

  async function opened(tenantId: TenantId, row: Row): Promise<SigningKey> {
    const stored = await sealing.open(placeOf(tenantId, row.id), row.sealed_private)
    return providers.named(row.provider).open(stored)
  }

  async function destroySpent(tenantId: TenantId, usage: SigningKeyUsage): Promise<void> {
    const spent = await store.single(tenantId, (tx) => tx.rows<Row>(listSpent, [tenantId, usage, now()]))
    for (const { id, provider, sealed_private: sealed } of spent) {
      await providers.named(provider).destroy(await sealing.open(placeOf(tenantId, id), sealed))
      await store.single(tenantId, (tx) => tx.rows(clearKey, [tenantId, id]))
    }
  }

  return { load, add, retire, destroySpent }
}

async function currentIn(tx: TenantTx, usage: SigningKeyUsage): Promise<Row | null> {
  const [row] = await tx.rows<Row>(findCurrent, [tx.tenantId, usage])
  return row ?? null
}

function placeOf(tenantId: TenantId, id: string) {
  return { tenantId, table: 'signing_key', column: 'sealed_private', row: id }
}
