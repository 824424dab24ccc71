import { sql, type TenantTx } from '../../store/store.ts'

/** A certificate of the wallet provider. `keyId`: the key of the root in the key ring; null for others. */
type ProviderCertificate = { readonly der: Buffer; readonly keyId: string | null }
/** A certificate to insert. `subject`: {@link ROOT}, or the thumbprint of its key. */
type NewProviderCertificate = ProviderCertificate & { readonly subject: string; readonly createdAt: Date }

/** The `subject` of the root. */
export const ROOT = 'root'

const findRow = sql(
  'wallet.find_provider_certificate',
  `select der, key_id as "keyId" from wallet_provider_certificate where tenant_id = $1 and subject = $2`,
)
const insertSql = (onConflict: string) =>
  `insert into wallet_provider_certificate (tenant_id, subject, der, key_id, created_at) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id, subject) do ${onConflict} returning subject`
const insertRoot = sql('wallet.insert_provider_root', insertSql('nothing'))
const putRow = sql(
  'wallet.put_provider_certificate',
  insertSql('update set der = excluded.der, created_at = excluded.created_at'),
)

/** Returns the root or the certificate of a key; null if there is none. */
export async function findProviderCertificate(tx: TenantTx, subject: string): Promise<ProviderCertificate | null> {
  const [row] = await tx.rows<ProviderCertificate>(findRow, [tx.tenantId, subject])
  return row ?? null
}

/** Inserts the root. @returns false if there is one already: of concurrent calls one inserts it. */
export async function insertProviderRoot(tx: TenantTx, row: Omit<NewProviderCertificate, 'subject'>): Promise<boolean> {
  return (await tx.rows(insertRoot, valuesOf(tx, { ...row, subject: ROOT }))).length > 0
}

/**
 * Inserts the certificate of a key, or replaces it. Concurrent calls replace each other's, and every one of them is
 * valid.
 */
export async function putProviderCertificate(tx: TenantTx, row: NewProviderCertificate): Promise<void> {
  await tx.rows(putRow, valuesOf(tx, row))
}

function valuesOf({ tenantId }: TenantTx, { subject, der, keyId, createdAt }: NewProviderCertificate) {
  return [tenantId, subject, der, keyId, createdAt]
}
