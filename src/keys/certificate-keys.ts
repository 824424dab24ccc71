import type { TenantId } from '../caller.ts'
import type { SigningKey } from '../crypto/signing-key.ts'
import { Fault } from '../fault.ts'
import { Memory } from '../memory/memory.ts'
import { remembered } from '../memory/recent.ts'
import { newId } from '../store/row-id.ts'
import { type Store, sql, type TenantTx } from '../store/store.ts'
import { privateKeyPlace } from './current-keys.ts'
import { type KeyProvider, type KeyProviders, type KeyType, keyProviders } from './key-provider.ts'
import type { Sealing } from './sealing.ts'
import { insertKey } from './signing-key-store.ts'

/**
 * What the key of a certificate signs: certificates and revocation lists (`ca`), or what the certificate is for
 * (`leaf`).
 */
type CertificateKeyUsage = 'ca' | 'leaf'

/**
 * A key that was just generated. It is lost unless {@link NewKey.keep} runs, in the transaction of the row that it
 * belongs to.
 */
type NewKey = {
  readonly id: string
  readonly key: SigningKey
  readonly keep: (tx: TenantTx) => Promise<void>
  /** Destroys a key that certainly was not kept; a device would store it for ever. */
  readonly drop: () => Promise<void>
}

/** Keys of one certificate or signing request each, by id. Sealed at rest, never returned. */
export type CertificateKeys = {
  readonly create: (tenantId: TenantId, usage: CertificateKeyUsage, type: KeyType) => Promise<NewKey>
  /** Returns a key, cached for up to a minute. @throws Fault `key.destroyed` */
  readonly byId: (tenantId: TenantId, id: string) => Promise<SigningKey>
  /** Destroys the private key; other processes may sign with it for up to a minute. Idempotent. */
  readonly destroy: (tenantId: TenantId, id: string) => Promise<void>
}

type Row = { provider: string; sealed_private: Buffer | null }

const findKey = sql(
  'keys.find_certificate_key',
  `select provider, sealed_private from signing_key where tenant_id = $1 and id = $2 and usage in ('ca', 'leaf')`,
)
const clearKey = sql(
  'keys.clear_certificate_key',
  `update signing_key set sealed_private = null, retired_at = coalesce(retired_at, $3)
   where tenant_id = $1 and id = $2 and usage in ('ca', 'leaf') and sealed_private is not null`,
)

/** Returns the keys of certificates, on any provider. */
export function certificateKeys(
  store: Store,
  sealing: Sealing,
  now: () => Date,
  providers: KeyProviders = keyProviders(),
  memory = new Memory(),
): CertificateKeys {
  const opened = memory.cache<Promise<SigningKey>>('keys.certificate_keys')

  async function stored(tenantId: TenantId, id: string): Promise<{ provider: KeyProvider; bytes: Buffer } | null> {
    const [row] = await store.single(tenantId, (tx) => tx.rows<Row>(findKey, [tenantId, id]))
    if (row === undefined || row.sealed_private === null) return null
    return {
      provider: providers.named(row.provider),
      bytes: await sealing.open(privateKeyPlace(tenantId, id), row.sealed_private),
    }
  }

  async function open(tenantId: TenantId, id: string): Promise<SigningKey> {
    const found = await stored(tenantId, id)
    if (found === null) throw new Fault('key.destroyed')
    return found.provider.open(found.bytes)
  }

  return {
    create: async (tenantId, usage, type) => {
      const id = newId()
      const made = await providers.maker.generate(type, id)
      const sealed = await sealing.seal(privateKeyPlace(tenantId, id), made.stored)
      const row = { id, usage, key: made.key, sealed, provider: providers.maker.name }
      return {
        id,
        key: made.key,
        keep: async (tx) => {
          if (!(await insertKey(tx, row, now()))) throw new Error('the key of a certificate was there already')
        },
        drop: () => providers.maker.destroy(made.stored),
      }
    },
    byId: (tenantId, id) => remembered(opened, `${tenantId}|${id}`, now(), () => open(tenantId, id)),
    destroy: async (tenantId, id) => {
      opened.delete(`${tenantId}|${id}`)
      const found = await stored(tenantId, id)
      if (found === null) return
      await found.provider.destroy(found.bytes)
      await store.single(tenantId, (tx) => tx.rows(clearKey, [tenantId, id, now()]))
    },
  }
}
