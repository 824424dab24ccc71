import type { TenantId } from '../caller.ts'
import { type PublicJwk, thumbprint } from '../crypto/jwk.ts'
import type { SigningKey } from '../crypto/signing-key.ts'
import { Memory } from '../memory/memory.ts'
import { remembered } from '../memory/recent.ts'
import { type Store, sql } from '../store/store.ts'
import { type CertificateKeys, certificateKeys } from './certificate-keys.ts'
import { currentKeys, type SigningKeyUsage } from './current-keys.ts'
import { type KeyProviders, keyProviders } from './key-provider.ts'
import type { Sealing } from './sealing.ts'

/** A public key that signs, or signed until it was retired. `kid` is its RFC 7638 thumbprint. */
type PublishedKey = {
  readonly kid: string
  readonly alg: 'ES256' | 'EdDSA'
  readonly jwk: PublicJwk
  readonly usage: SigningKeyUsage
}

/** The signing keys of the tenants: generated at first use, sealed at rest, never returned. {@link CertificateKeys} holds those of certificates. */
export type KeyRing = CertificateKeys & {
  /** Returns the key that signs. A rotation takes effect in every process within a minute. */
  readonly current: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<SigningKey>
  /** Returns the key that signed credentials under this `kid`, also after a rotation; null if it is unknown. */
  readonly credentialKey: (tenantId: TenantId, kid: string) => Promise<SigningKey | null>
  /** Lists the keys to publish: the current one, and retired ones whose signatures may still be verified. */
  readonly published: (tenantId: TenantId, usages: readonly SigningKeyUsage[]) => Promise<PublishedKey[]>
  /**
   * Retires the current key and generates the next. Of two concurrent callers one rotates; both see the new key. Destroys the private keys
   * that were retired earlier, except those of credentials.
   */
  readonly rotate: (tenantId: TenantId, usage: SigningKeyUsage) => Promise<void>
}

type Published = { usage: SigningKeyUsage; alg: 'ES256' | 'EdDSA'; public_jwk: PublicJwk }

/** How long a retired key stays published: credentials are valid for years, access tokens for minutes, and ID tokens return as hints. */
const PUBLISHED_AFTER_RETIREMENT = `case usage when 'access-token' then interval '1 day' when 'id-token' then interval '30 days' else interval '100 years' end`

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
  const cache = memory.cache<Promise<SigningKey>>('keys.current')
  const former = memory.cache<Promise<SigningKey | null>>('keys.of_credentials')

  return {
    ...certificateKeys(store, sealing, now, providers, memory),
    current: (tenantId, usage) => remembered(cache, `${tenantId} ${usage}`, now(), () => rows.load(tenantId, usage)),
    credentialKey: (tenantId, kid) =>
      remembered(former, `${tenantId} ${kid}`, now(), () => rows.credentialKey(tenantId, kid)),
    published: async (tenantId, usages) => {
      const found = await store.single(tenantId, (tx) => tx.rows<Published>(listPublished, [tenantId, usages, now()]))
      return found.map(({ usage, alg, public_jwk: jwk }) => ({ kid: thumbprint(jwk), alg, jwk, usage }))
    },
    rotate: async (tenantId, usage) => {
      // First, because only this step can fail permanently.
      await rows.destroyRetired(tenantId, usage)
      await rows.retire(tenantId, usage)
      await rows.add(tenantId, usage)
      cache.delete(`${tenantId} ${usage}`)
    },
  }
}
