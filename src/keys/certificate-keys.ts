import type { TenantId } from '../caller.ts'
import { canonical } from '../crypto/jwk.ts'
import type { SigningKey } from '../crypto/signing-key.ts'
import { Fault } from '../fault.ts'
import { newId } from '../store/row-id.ts'
import { type Store, sql, type TenantTx } from '../store/store.ts'
import { type KeyProvider, type KeyProviders, type KeyType, keyProviders } from './key-provider.ts'
import type { Sealing } from './sealing.ts'

/** What a key of a certificate may sign: certificates and revocation lists, or what the certificate is for. */
export type CertificateKeyUsage = 'ca' | 'leaf'

/** A key that was just made. Nobody finds it again unless {@link NewKey.keep} runs, in the transaction of the row that it belongs to. */
export type NewKey = {
  readonly id: string
  readonly key: SigningKey
  readonly keep: (tx: TenantTx) => Promise<void>
  /** Destroys it. Only for one that was surely not kept: a device would hold it for ever. */
  readonly drop: () => Promise<void>
}

/** Keys that belong to one certificate or signing request each, found by their id. Sealed at rest, never given out. */
export type CertificateKeys = {
  readonly create: (tenantId: TenantId, usage: CertificateKeyUsage, type: KeyType) => Promise<NewKey>
  /** A key as it was up to a minute ago. @throws Fault `key.destroyed` */
  readonly byId: (tenantId: TenantId, id: string) => Promise<SigningKey>
  /** Destroys the private half for good; other processes may sign with it for up to a minute. Destroying it again is fine. */
  readonly destroy: (tenantId: TenantId, id: string) => Promise<void>
}

type Row = { provider: string; sealed_private: Buffer | null }

const FRESH_MS = 60_000
const OPEN_MAX = 1000

const insertKey = sql(
  'certificate_keys.insert',
  `insert into signing_key (tenant_id, id, usage, alg, public_jwk, sealed_private, provider, created_at)
   values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8)`,
)
const findKey = sql(
  'certificate_keys.find',
  `select provider, sealed_private from signing_key where tenant_id = $1 and id = $2 and usage in ('ca', 'leaf')`,
)
const clearKey = sql(
  'certificate_keys.clear',
  `update signing_key set sealed_private = null, retired_at = coalesce(retired_at, $3)
   where tenant_id = $1 and id = $2 and usage in ('ca', 'leaf') and sealed_private is not null`,
)

/** The keys of certificates, on any provider. */
export function certificateKeys(
  store: Store,
  sealing: Sealing,
  now: () => Date,
  providers: KeyProviders = keyProviders(),
): CertificateKeys {
  const opened = new Map<string, { key: Promise<SigningKey>; until: number }>()

  async function stored(tenantId: TenantId, id: string): Promise<{ by: KeyProvider; bytes: Buffer } | null> {
    const [row] = await store.single(tenantId, (tx) => tx.rows<Row>(findKey, [tenantId, id]))
    if (row === undefined || row.sealed_private === null) return null
    return { by: providers.named(row.provider), bytes: await sealing.open(placeOf(tenantId, id), row.sealed_private) }
  }

  async function open(tenantId: TenantId, id: string): Promise<SigningKey> {
    const found = await stored(tenantId, id)
    if (found === null) throw new Fault('key.destroyed')
    return found.by.open(found.bytes)
  }

  return {
    create: async (tenantId, usage, type) => {
      const id = newId()
      const made = await providers.maker.generate(type, id)
      const sealed = await sealing.seal(placeOf(tenantId, id), made.stored)
      const { alg, publicJwk } = made.key
      const about = [alg, JSON.stringify(canonical(publicJwk)), sealed, providers.maker.name, now()]
      return {
        ...{ id, key: made.key },
        keep: async (tx) => void (await tx.rows(insertKey, [tenantId, id, usage, ...about])),
        drop: () => providers.maker.destroy(made.stored),
      }
    },
    byId: (tenantId, id) => {
      const name = `${tenantId}|${id}`
      const known = opened.get(name)
      if (known !== undefined && known.until > now().getTime()) return known.key
      const key = open(tenantId, id)
      if (opened.size >= OPEN_MAX) opened.delete(opened.keys().next().value ?? '')
      opened.delete(name)
      opened.set(name, { key, until: now().getTime() + FRESH_MS })
      key.catch(() => opened.delete(name))
      return key
    },
    destroy: async (tenantId, id) => {
      opened.delete(`${tenantId}|${id}`)
      const found = await stored(tenantId, id)
      if (found === null) return
      await found.by.destroy(found.bytes)
      await store.single(tenantId, (tx) => tx.rows(clearKey, [tenantId, id, now()]))
    },
  }
}

function placeOf(tenantId: TenantId, id: string) {
  return { tenantId, table: 'signing_key', column: 'sealed_private', row: id }
}
