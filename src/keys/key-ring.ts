import type { TenantId } from '../caller.ts'
import { type PublicJwk, thumbprint } from '../crypto/jwk.ts'
import type { SigningKey } from '../crypto/signing-key.ts'
import { Recent, remembered } from '../memory/recent.ts'
import { type Store, sql } from '../store/store.ts'
import { type CertificateKeys, certificateKeys } from './certificate-keys.ts'
import { currentKeys, type SigningKeyUsage } from './current-keys.ts'
import { type KeyProvider, keyProviders } from './key-provider.ts'
import type { Sealing } from './sealing.ts'

/** A public key that is, or was until lately, signing. `kid` is its RFC 7638 thumbprint. */
export type PublishedKey = {
  readonly kid: string
  readonly alg: 'ES256' | 'EdDSA'
  readonly jwk: PublicJwk
  readonly usage: SigningKeyUsage
}

/** The signing keys of the tenants: made on first use, sealed at rest, never given out. Those of certificates are made by {@link CertificateKeys}. */
export type KeyRing = CertificateKeys & {
  /** The key that signs now. Known to every process within a minute of a rotation. */
  readonly current: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<SigningKey>
  /** What to publish: the current key and the retired ones that something valid may still be signed with. */
  readonly published: (tenantId: TenantId, usages: readonly SigningKeyUsage[]) => Promise<PublishedKey[]>
  /**
   * Retires the current key and makes the next. Of two callers at once one rotates; both see the new key. Private halves of keys that were
   * retired before are destroyed.
   */
  readonly rotate: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
}

type Published = { usage: SigningKeyUsage; alg: 'ES256' | 'EdDSA'; public_jwk: PublicJwk }

/** A current key is looked up again after this long, so that a rotation by another process is noticed. */
const FRESH_MS = 60_000
const KEYS_MAX = 20_000
/** How long a retired key stays published: credentials may live for years, access tokens for minutes. */
const PUBLISHED_AFTER_RETIREMENT = `case usage when 'access-token' then interval '1 day' else interval '100 years' end`

const listPublished = sql(
  'key_ring.list_published',
  `select usage, alg, public_jwk from signing_key
   where tenant_id = $1 and usage = any($2::text[]) and (retired_at is null or retired_at > $3::timestamptz - ${PUBLISHED_AFTER_RETIREMENT})
   order by created_at desc, id`,
)

/**
 * The key ring. What it stores is sealed, whoever keeps the keys.
 *
 * @param maker Makes the new keys; software unless told.
 * @param others Have keys that they made before. Software always counts.
 */
export function softwareKeyRing(
  store: Store,
  sealing: Sealing,
  now: () => Date,
  maker?: KeyProvider,
  others?: readonly KeyProvider[],
): KeyRing {
  const providers = keyProviders(maker, others)
  const rows = currentKeys(store, sealing, now, providers)
  const cache = new Recent<Promise<SigningKey>>({ entriesMax: KEYS_MAX, ttlMs: FRESH_MS })

  return {
    ...certificateKeys(store, sealing, now, providers),
    current: (tenantId, usage) => remembered(cache, `${tenantId} ${usage}`, now(), () => rows.load(tenantId, usage)),
    published: async (tenantId, usages) => {
      const found = await store.single(tenantId, (tx) => tx.rows<Published>(listPublished, [tenantId, usages, now()]))
      return found.map(({ usage, alg, public_jwk: jwk }) => ({ kid: thumbprint(jwk), alg, jwk, usage }))
    },
    rotate: async (tenantId, usage) => {
      // First, because of all of this only it may fail for a reason that lasts.
      await rows.destroySpent(tenantId, usage)
      await rows.retire(tenantId, usage)
      await rows.add(tenantId, usage)
      cache.delete(`${tenantId} ${usage}`)
    },
  }
}
