import type { TenantId } from '../caller.ts'
import { type PublicJwk, type RsaJwk, thumbprint } from '../crypto/jwk.ts'
import type { SigningKey } from '../crypto/signing-key.ts'
import { Memory } from '../memory/memory.ts'
import { remembered } from '../memory/recent.ts'
import { type Store, sql } from '../store/store.ts'
import { type CertificateKeys, certificateKeys } from './certificate-keys.ts'
import { currentKeys, type KeyOf, type SigningKeyUsage } from './current-keys.ts'
import { destroyDeviceKeys } from './destroy-keys.ts'
import { type KeyProviders, keyProviders } from './key-provider.ts'
import type { Sealing } from './sealing.ts'

/** A public key that signs, or signed until it was retired. `kid` is its RFC 7638 thumbprint. */
type PublishedKey<Usage extends SigningKeyUsage> = {
  readonly kid: string
  readonly usage: Usage
} & (Usage extends 'id-token-rs256'
  ? { readonly alg: 'RS256'; readonly jwk: RsaJwk }
  : { readonly alg: 'ES256' | 'EdDSA'; readonly jwk: PublicJwk })

/**
 * The signing keys of the tenants: generated at first use, sealed at rest, never returned. {@link CertificateKeys}
 * holds those of certificates.
 */
export type KeyRing = CertificateKeys & {
  /** Returns the key that signs. A rotation takes effect in every process within a minute. */
  readonly current: <Usage extends SigningKeyUsage>(tenantId: TenantId, usage: Usage) => Promise<KeyOf<Usage>>
  /** Returns the key that signed credentials under this `kid`, also after a rotation; null if it is unknown. */
  readonly credentialKey: (tenantId: TenantId, kid: string) => Promise<SigningKey | null>
  /** Lists the keys to publish: the current one, and retired ones whose signatures may still be verified. */
  readonly published: <Usage extends SigningKeyUsage>(
    tenantId: TenantId,
    usages: readonly Usage[],
  ) => Promise<PublishedKey<Usage>[]>
  /** Whether it has RSA keys: a PKCS #11 token may generate none. */
  readonly hasRsa: boolean
  /**
   * Retires the current key and generates the next. Of two concurrent callers one rotates; both see the new key.
   * Destroys the private keys that were retired earlier, except those of credentials.
   */
  readonly rotate: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
  /** Destroys what a device holds for a tenant that is removed. As `destroyDeviceKeys`. */
  readonly destroyAll: (tenantId: TenantId) => Promise<readonly string[]>
}

type Published = { usage: SigningKeyUsage; alg: string; public_jwk: PublicJwk | RsaJwk }

/**
 * How long a retired key stays published: credentials are valid for years, access tokens for minutes, and ID tokens
 * return as hints.
 */
const PUBLISHED_AFTER_RETIREMENT = `case when usage = 'access-token' then interval '1 day'
  when usage in ('id-token', 'id-token-rs256') then interval '30 days' else interval '100 years' end`

const listPublished = sql(
  'keys.list_published_keys',
  `select usage, alg, public_jwk from signing_key
   where tenant_id = $1 and usage = any($2::text[]) and (retired_at is null or retired_at > $3::timestamptz - ${PUBLISHED_AFTER_RETIREMENT})
   order by created_at desc, id`,
)

/**
 * Returns the key ring. What it stores is sealed, for every provider.
 *
 * @param providers Where keys are generated and opened; software by default.
 */
export function softwareKeyRing(
  store: Store,
  sealing: Sealing,
  now: () => Date,
  providers: KeyProviders = keyProviders(),
  memory = new Memory(),
): KeyRing {
  const rows = currentKeys(store, sealing, now, providers)
  const cache = memory.cache<Promise<KeyOf<SigningKeyUsage>>>('keys.current')
  const former = memory.cache<Promise<SigningKey | null>>('keys.of_credentials')

  return {
    ...certificateKeys(store, sealing, now, providers, memory),
    hasRsa: providers.maker.rsa !== null,
    current: async <Usage extends SigningKeyUsage>(tenantId: TenantId, usage: Usage) => {
      const key = await remembered(cache, `${tenantId} ${usage}`, now(), () => rows.load(tenantId, usage))
      // The cache has one entry for each usage.
      return key as KeyOf<Usage>
    },
    credentialKey: (tenantId, kid) =>
      remembered(former, `${tenantId} ${kid}`, now(), () => rows.credentialKey(tenantId, kid)),
    published: async <Usage extends SigningKeyUsage>(tenantId: TenantId, usages: readonly Usage[]) => {
      const found = await store.single(tenantId, (tx) => tx.rows<Published>(listPublished, [tenantId, usages, now()]))
      return found.map(({ usage, alg, public_jwk: jwk }) => {
        // The database enters the typed world: the rows of these usages have keys of their kind.
        return { kid: thumbprint(jwk), alg, jwk, usage } as unknown as PublishedKey<Usage>
      })
    },
    rotate: async (tenantId, usage) => {
      // First, because only this step can fail permanently.
      await rows.destroyRetired(tenantId, usage)
      await rows.retire(tenantId, usage)
      await rows.add(tenantId, usage)
      cache.delete(`${tenantId} ${usage}`)
    },
    destroyAll: (tenantId) => destroyDeviceKeys(store, sealing, providers, tenantId),
  }
}
