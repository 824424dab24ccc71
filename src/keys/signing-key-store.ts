import { canonical } from '../crypto/jwk.ts'
import type { RsaSigningKey, SigningKey } from '../crypto/signing-key.ts'
import { sql, type TenantTx } from '../store/store.ts'

const insert = sql(
  'keys.insert_key',
  `insert into signing_key (tenant_id, id, usage, alg, public_jwk, sealed_private, provider, created_at)
   values (:tenantId, :id, :usage, :alg, :publicJwk::jsonb, :sealed, :provider, :now)
   on conflict do nothing returning id`,
)

/** A key to insert. `sealed`: its private part as its provider stores it. */
type NewKeyRow = {
  readonly id: string
  readonly usage: string
  readonly key: Pick<SigningKey | RsaSigningKey, 'alg' | 'publicJwk'>
  readonly sealed: Buffer
  readonly provider: string
}

/** Inserts a key of the transaction's tenant. Returns false if another one is the current key of its usage. */
export async function insertKey(tx: TenantTx, row: NewKeyRow, now: Date): Promise<boolean> {
  const { id, usage, key, sealed, provider } = row
  const publicJwk = JSON.stringify(canonical(key.publicJwk))
  const values = { tenantId: tx.tenantId, id, usage, alg: key.alg, publicJwk, sealed, provider, now }
  return (await tx.rows(insert, values)).length === 1
}
