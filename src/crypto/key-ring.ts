import type { TenantId } from '../caller.ts'
import { type Store, sql, type TenantTx } from '../store/store.ts'
import { type CertificateKeys, certificateKeys } from './certificate-keys.ts'
import { canonical, generateKeyPair, type PublicJwk, privateKeyFromPkcs8, thumbprint } from './jwk.ts'
import type { KeyProvider } from './key-provider.ts'
import { newId } from './random.ts'
import type { Sealing } from './sealing.ts'
import { type SigningKey, softwareKey } from './signing-key.ts'

/** What a key may sign; a key never serves two uses [SEC-72]. */
export type KeyUsage = 'credential' | 'request' | 'status' | 'access-token'

/** A public key that is, or was until lately, signing. `kid` is its RFC 7638 thumbprint. */
export type PublishedKey = {
  readonly kid: string
  readonly alg: 'ES256' | 'EdDSA'
  readonly jwk: PublicJwk
  readonly usage: KeyUsage
}

/** The signing keys of the tenants: made on first use, sealed at rest, never given out. Those of certificates are made by {@link CertificateKeys}. */
export type KeyRing = CertificateKeys & {
  /** The key that signs now. Known to every process within a minute of a rotation. */
  readonly current: (tenantId: TenantId, usage: KeyUsage) => Promise<SigningKey>
  /** What to publish: the current key and the retired ones that something valid may still be signed with. */
  readonly published: (tenantId: TenantId, usages: readonly KeyUsage[]) => Promise<PublishedKey[]>
  /** Retires the current key and makes the next. Of two callers at once one rotates; both see the new key. */
  readonly rotate: (tenantId: TenantId, usage: KeyUsage) => Promise<void>
}

type Row = { id: string; public_jwk: PublicJwk; sealed_private: Buffer; usage: KeyUsage; alg: 'ES256' | 'EdDSA' }

/** A current key is looked up again after this long, so that a rotation by another process is noticed. */
const FRESH_MS = 60_000
/** How long a retired key stays published: credentials may live for years, access tokens for minutes. */
const PUBLISHED_AFTER_RETIREMENT = `case usage when 'access-token' then interval '1 day' else interval '100 years' end`

const findCurrent = sql(
  'key_ring.current',
  `select id, public_jwk, sealed_private, usage, alg from signing_key where tenant_id = $1 and usage = $2 and retired_at is null`,
)
const insertKey = sql(
  'key_ring.insert',
  `insert into signing_key (tenant_id, id, usage, alg, public_jwk, sealed_private, created_at)
   values ($1, $2, $3, 'ES256', $4::jsonb, $5, $6) on conflict do nothing`,
)
const retireKey = sql(
  'key_ring.retire',
  `update signing_key set retired_at = $3 where tenant_id = $1 and id = $2 and retired_at is null`,
)
const listPublished = sql(
  'key_ring.published',
  `select usage, alg, public_jwk from signing_key
   where tenant_id = $1 and usage = any($2::text[]) and (retired_at is null or retired_at > $3::timestamptz - ${PUBLISHED_AFTER_RETIREMENT})
   order by created_at desc, id`,
)

/** The key ring of software keys. @param provider Where the keys of certificates live. */
export function softwareKeyRing(store: Store, sealing: Sealing, now: () => Date, provider?: KeyProvider): KeyRing {
  const cache = new Map<string, { key: Promise<SigningKey>; until: number }>()

  async function load(tenantId: TenantId, usage: KeyUsage): Promise<SigningKey> {
    const found = await store.single(tenantId, (tx) => currentIn(tx, usage))
    if (found !== null) return opened(tenantId, found)
    await add(tenantId, usage)
    const made = await store.single(tenantId, (tx) => currentIn(tx, usage))
    if (made === null) throw new Error('the key that was just made is gone')
    return opened(tenantId, made)
  }

  /** Makes a key beside a possible rival: the unique index lets one of them be current. */
  async function add(tenantId: TenantId, usage: KeyUsage): Promise<void> {
    const id = newId()
    const { publicJwk, pkcs8 } = generateKeyPair()
    const sealed = await sealing.seal(placeOf(tenantId, id), pkcs8)
    const values = [tenantId, id, usage, JSON.stringify(canonical(publicJwk)), sealed, now()]
    await store.single(tenantId, (tx) => tx.rows(insertKey, values))
  }

  async function opened(tenantId: TenantId, row: Row): Promise<SigningKey> {
    const pkcs8 = await sealing.open(placeOf(tenantId, row.id), row.sealed_private)
    return softwareKey(privateKeyFromPkcs8(pkcs8), thumbprint(row.public_jwk))
  }

  return {
    ...certificateKeys(store, sealing, now, provider),
    current: (tenantId, usage) => {
      const name = `${tenantId}|${usage}`
      const known = cache.get(name)
      if (known !== undefined && known.until > now().getTime()) return known.key
      const key = load(tenantId, usage)
      cache.set(name, { key, until: now().getTime() + FRESH_MS })
      key.catch(() => cache.delete(name))
      return key
    },
    published: async (tenantId, usages) => {
      const rows = await store.single(tenantId, (tx) =>
        tx.rows<Pick<Row, 'usage' | 'alg' | 'public_jwk'>>(listPublished, [tenantId, usages, now()]),
      )
      return rows.map(({ usage, alg, public_jwk: jwk }) => ({ kid: thumbprint(jwk), alg, jwk, usage }))
    },
    rotate: async (tenantId, usage) => {
      const old = await store.single(tenantId, (tx) => currentIn(tx, usage))
      if (old !== null) await store.single(tenantId, (tx) => tx.rows(retireKey, [tenantId, old.id, now()]))
      await add(tenantId, usage)
      cache.delete(`${tenantId}|${usage}`)
    },
  }
}

async function currentIn(tx: TenantTx, usage: KeyUsage): Promise<Row | null> {
  const [row] = await tx.rows<Row>(findCurrent, [tx.tenantId, usage])
  return row ?? null
}

function placeOf(tenantId: TenantId, id: string) {
  return { tenantId, table: 'signing_key', column: 'sealed_private', row: id }
}
