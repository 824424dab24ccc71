import type { TenantId } from '../caller.ts'
import { canonical, type PublicJwk, thumbprint } from '../crypto/jwk.ts'
import type { SigningKey } from '../crypto/signing-key.ts'
import { newId } from '../store/row-id.ts'
import { type Store, sql, type TenantTx } from '../store/store.ts'
import type { KeyProviders } from './key-provider.ts'
import type { Sealing } from './sealing.ts'

/**
 * What a key signs; no key has two usages [SEC-72]. `credential`: credentials and their status lists. `wallet-provider`: attestations of the
 * wallets of this deployment and their keys.
 */
export type SigningKeyUsage = 'credential' | 'request' | 'access-token' | 'id-token' | 'wallet-provider'

/** The rows of the current keys, one for each usage of a tenant, and of retired keys. */
type CurrentKeys = {
  /** Returns the current key; generates it if there is none. */
  readonly load: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<SigningKey>
  /** Generates a key. If another process does so too, the unique index decides which one is current. */
  readonly add: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
  readonly retire: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
  /** Returns the key of usage `credential` with a thumbprint, current or retired; null if it is unknown. */
  readonly credentialKey: (tenantId: TenantId, kid: string) => Promise<SigningKey | null>
  /**
   * Destroys the private keys that were retired more than an hour ago, when no process signs with them. Retired keys of credentials stay: they
   * sign the status lists of their credentials.
   */
  readonly destroyRetired: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
}

type Row = { id: string; sealed_private: Buffer; provider: string }

const findCurrent = sql(
  'keys.find_current_key',
  `select id, sealed_private, provider from signing_key where tenant_id = $1 and usage = $2 and retired_at is null`,
)
const insertKey = sql(
  'keys.insert_current_key',
  `insert into signing_key (tenant_id, id, usage, alg, public_jwk, sealed_private, provider, created_at)
   values ($1, $2, $3, 'ES256', $4::jsonb, $5, $6, $7) on conflict do nothing returning id`,
)
const retireKey = sql(
  'keys.retire_current_key',
  `update signing_key set retired_at = $3 where tenant_id = $1 and id = $2 and retired_at is null`,
)
const listRetired = sql(
  'keys.list_retired_keys',
  `select id, sealed_private, provider from signing_key
   where tenant_id = $1 and usage = $2 and usage <> 'credential' and sealed_private is not null
     and retired_at < $3::timestamptz - interval '1 hour'`,
)
const listCredentialKeys = sql(
  'keys.list_credential_keys',
  `select id, sealed_private, provider, public_jwk from signing_key
   where tenant_id = $1 and usage = 'credential' and sealed_private is not null`,
)
const clearKey = sql(
  'keys.clear_retired_key',
  `update signing_key set sealed_private = null where tenant_id = $1 and id = $2`,
)

/** Returns the rows of current keys, on any provider. */
export function currentKeys(store: Store, sealing: Sealing, now: () => Date, providers: KeyProviders): CurrentKeys {
  async function load(tenantId: TenantId, usage: SigningKeyUsage): Promise<SigningKey> {
    const found = await store.single(tenantId, (tx) => currentIn(tx, usage))
    if (found !== null) return opened(tenantId, found)
    await add(tenantId, usage)
    const added = await store.single(tenantId, (tx) => currentIn(tx, usage))
    if (added === null) throw new Error('the key that was just added is missing')
    return opened(tenantId, added)
  }

  async function add(tenantId: TenantId, usage: SigningKeyUsage): Promise<void> {
    const id = newId()
    const { stored, key } = await providers.maker.generate('P-256', id)
    const sealed = await sealing.seal(privateKeyPlace(tenantId, id), stored)
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
    const stored = await sealing.open(privateKeyPlace(tenantId, row.id), row.sealed_private)
    return providers.named(row.provider).open(stored)
  }

  async function credentialKey(tenantId: TenantId, kid: string): Promise<SigningKey | null> {
    const keys = await store.single(tenantId, (tx) =>
      tx.rows<Row & { public_jwk: PublicJwk }>(listCredentialKeys, [tenantId]),
    )
    const found = keys.find((one) => thumbprint(one.public_jwk) === kid)
    return found === undefined ? null : opened(tenantId, found)
  }

  async function destroyRetired(tenantId: TenantId, usage: SigningKeyUsage): Promise<void> {
    const retired = await store.single(tenantId, (tx) => tx.rows<Row>(listRetired, [tenantId, usage, now()]))
    for (const { id, provider, sealed_private: sealed } of retired) {
      await providers.named(provider).destroy(await sealing.open(privateKeyPlace(tenantId, id), sealed))
      await store.single(tenantId, (tx) => tx.rows(clearKey, [tenantId, id]))
    }
  }

  return { load, add, retire, credentialKey, destroyRetired }
}

async function currentIn(tx: TenantTx, usage: SigningKeyUsage): Promise<Row | null> {
  const [row] = await tx.rows<Row>(findCurrent, [tx.tenantId, usage])
  return row ?? null
}

/** Where the private key of a row of `signing_key` is sealed. */
export function privateKeyPlace(tenantId: TenantId, id: string) {
  return { tenantId, table: 'signing_key', column: 'sealed_private', row: id }
}
