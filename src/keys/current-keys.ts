import type { TenantId } from '../caller.ts'
import { type PublicJwk, thumbprint } from '../crypto/jwk.ts'
import type { RsaSigningKey, SigningKey } from '../crypto/signing-key.ts'
import { newId } from '../store/row-id.ts'
import { type Store, sql, type TenantTx } from '../store/store.ts'
import type { KeyProvider, KeyProviders, RsaKeyProvider } from './key-provider.ts'
import type { Sealing } from './sealing.ts'
import { insertKey } from './signing-key-store.ts'

/**
 * What a key signs; no key has two usages [SEC-72]. `credential`: credentials and their status lists. `id-token`,
 * `id-token-rs256`: ID tokens and logout tokens, by ES256 or RS256. `wallet-provider`: attestations of the wallets of
 * this deployment and their keys.
 */
export type SigningKeyUsage =
  | 'credential'
  | 'request'
  | 'access-token'
  | 'id-token'
  | 'id-token-rs256'
  | 'wallet-provider'

/** The key of a usage: RSA for `id-token-rs256`, P-256 for the others. */
export type KeyOf<Usage extends SigningKeyUsage> = Usage extends 'id-token-rs256' ? RsaSigningKey : SigningKey

/** The rows of the current keys, one for each usage of a tenant, and of retired keys. */
type CurrentKeys = {
  /** Returns the current key; generates it if there is none. */
  readonly load: <Usage extends SigningKeyUsage>(tenantId: TenantId, usage: Usage) => Promise<KeyOf<Usage>>
  /** Generates a key. If another process does so too, the unique index decides which one is current. */
  readonly add: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
  readonly retire: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
  /** Returns the key of usage `credential` with a thumbprint, current or retired; null if it is unknown. */
  readonly credentialKey: (tenantId: TenantId, kid: string) => Promise<SigningKey | null>
  /**
   * Destroys the private keys that were retired more than an hour ago, when no process signs with them. Retired keys of
   * credentials stay: they sign the status lists of their credentials.
   */
  readonly destroyRetired: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
}

type Row = { id: string; sealed_private: Buffer; provider: string }

const findCurrent = sql(
  'keys.find_current_key',
  `select id, sealed_private, provider from signing_key where tenant_id = $1 and usage = $2 and retired_at is null`,
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
  async function load<Usage extends SigningKeyUsage>(tenantId: TenantId, usage: Usage): Promise<KeyOf<Usage>> {
    const found = await store.single(tenantId, (tx) => currentIn(tx, usage))
    if (found !== null) return openedFor(tenantId, usage, found)
    await add(tenantId, usage)
    const added = await store.single(tenantId, (tx) => currentIn(tx, usage))
    if (added === null) throw new Error('the key that was just added is missing')
    return openedFor(tenantId, usage, added)
  }

  async function openedFor<Usage extends SigningKeyUsage>(tenantId: TenantId, usage: Usage, row: Row) {
    const key = isRsa(usage)
      ? await rsaOf(providers.named(row.provider)).open(await bytesOf(tenantId, row))
      : await opened(tenantId, row)
    // The row of a usage has a key of its kind.
    return key as KeyOf<Usage>
  }

  async function add(tenantId: TenantId, usage: SigningKeyUsage): Promise<void> {
    const id = newId()
    const { maker } = providers
    const { stored, key } = isRsa(usage) ? await rsaOf(maker).generate(id) : await maker.generate('P-256', id)
    const sealed = await sealing.seal(privateKeyPlace(tenantId, id), stored)
    const row = { id, usage, key, sealed, provider: maker.name }
    const isKept = await store.single(tenantId, (tx) => insertKey(tx, row, now()))
    if (!isKept) await maker.destroy(stored)
  }

  async function retire(tenantId: TenantId, usage: SigningKeyUsage): Promise<void> {
    const old = await store.single(tenantId, (tx) => currentIn(tx, usage))
    if (old !== null) await store.single(tenantId, (tx) => tx.rows(retireKey, [tenantId, old.id, now()]))
  }

  async function opened(tenantId: TenantId, row: Row): Promise<SigningKey> {
    return providers.named(row.provider).open(await bytesOf(tenantId, row))
  }

  function bytesOf(tenantId: TenantId, row: Row): Promise<Buffer> {
    return sealing.open(privateKeyPlace(tenantId, row.id), row.sealed_private)
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

function isRsa(usage: SigningKeyUsage): boolean {
  return usage === 'id-token-rs256'
}

function rsaOf({ rsa, name }: KeyProvider): RsaKeyProvider {
  if (rsa === null) throw new Error(`${name} keeps no RSA keys`)
  return rsa
}

async function currentIn(tx: TenantTx, usage: SigningKeyUsage): Promise<Row | null> {
  const [row] = await tx.rows<Row>(findCurrent, [tx.tenantId, usage])
  return row ?? null
}

/** Where the private key of a row of `signing_key` is sealed. */
export function privateKeyPlace(tenantId: TenantId, id: string) {
  return { tenantId, table: 'signing_key', column: 'sealed_private', row: id }
}
