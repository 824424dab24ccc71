import { type Step, sql, type TenantTx } from '../../store/store.ts'

const insert = sql(
  'issuance.insert_spent_nonce',
  'insert into spent_nonce (tenant_id, nonce_hash, made_at) values ($1, $2::bytea, $3)',
)

/** The nonces of the key proofs of a credential request: their SHA-256, and when each was made. */
export type SpentNonces = { readonly nonceHashes: readonly Buffer[]; readonly noncesMadeAt: readonly Date[] }

/**
 * Returns the statements that spend nonces. A nonce that was used stops them by the unique index `spent_nonce_pkey`.
 */
export function spendNonces({ tenantId }: TenantTx, { nonceHashes, noncesMadeAt }: SpentNonces): Step[] {
  return nonceHashes.map((hash, at) => ({ statement: insert, values: [tenantId, hash, noncesMadeAt[at]] }))
}
