import type { UserId } from '../../../caller.ts'
import { sql, type TenantTx } from '../../../store/store.ts'

/** A passkey in the list of its user. */
export type PasskeyView = {
  readonly id: string
  readonly name: string
  readonly isSynced: boolean
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** A passkey to verify a signature with. */
export type Passkey = {
  readonly id: string
  readonly credentialId: Buffer
  /** COSE key. */
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: readonly string[]
  readonly isSynced: boolean
}

/** A passkey to insert. */
export type NewPasskey = Passkey & { readonly userId: UserId; readonly name: string }

const insert = sql(
  'authorization.insert_passkey',
  `insert into passkey (tenant_id, id, user_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
   select :tenantId, :id, :userId, :credentialId, :publicKey, :counter, :transports, :name, :isSynced, :now
   where (select count(*) from passkey where tenant_id = :tenantId and user_id = :userId) < :limit
     and exists (select from active_user where tenant_id = :tenantId and id = :userId)
   on conflict do nothing returning id`,
)
const PASSKEY = `id, credential_id as "credentialId", public_key as "publicKey", counter::float8 as counter, transports, is_synced as "isSynced"`
const find = sql(
  'authorization.find_passkey',
  `select ${PASSKEY} from passkey where tenant_id = $1 and credential_id = $2 and user_id = $3`,
)
const credentials = sql(
  'authorization.list_passkey_credentials',
  `select ${PASSKEY} from passkey where tenant_id = $1 and user_id = $2 order by id`,
)
// A counter that does not grow is that of a copy, except that of an authenticator that does not count.
const use = sql(
  'authorization.use_passkey',
  `update passkey set counter = $3, is_synced = $4, last_used_at = $5
   where tenant_id = $1 and id = $2 and (counter < $3 or (counter = 0 and $3 = 0)) returning id`,
)
const list = sql(
  'authorization.list_passkeys',
  `select id, name, is_synced as "isSynced", created_at as "createdAt", last_used_at as "lastUsedAt" from passkey
   where tenant_id = $1 and user_id = $2 order by id`,
)
const rename = sql(
  'authorization.rename_passkey',
  'update passkey set name = $4 where tenant_id = $1 and user_id = $2 and id = $3 returning id',
)
const remove = sql(
  'authorization.delete_passkey',
  'delete from passkey where tenant_id = $1 and user_id = $2 and id = $3 returning id',
)

/** Inserts a passkey. Returns false if it is registered, the user has `limit` passkeys, or may not sign in. */
export async function insertPasskey(tx: TenantTx, one: NewPasskey, limit: number, now: Date): Promise<boolean> {
  const { id, userId, credentialId, publicKey, counter, transports, name, isSynced } = one
  const made = await tx.rows(insert, {
    tenantId: tx.tenantId,
    id,
    userId,
    credentialId,
    publicKey,
    counter,
    transports,
    name,
    isSynced,
    now,
    limit,
  })
  return made.length === 1
}

/** Returns the passkey of a user by its credential id. */
export async function findPasskey(tx: TenantTx, credentialId: Buffer, userId: UserId): Promise<Passkey | null> {
  return (await tx.rows<Passkey>(find, [tx.tenantId, credentialId, userId]))[0] ?? null
}

/** Returns the passkeys of a user with their credential ids. */
export async function listUserPasskeys(tx: TenantTx, userId: UserId): Promise<readonly Passkey[]> {
  return tx.rows<Passkey>(credentials, [tx.tenantId, userId])
}

/** Records a use. Returns false if the counter did not grow: of two uses with one counter one gets true. */
export async function usePasskey(
  tx: TenantTx,
  id: string,
  { counter, isSynced, now }: { readonly counter: number; readonly isSynced: boolean; readonly now: Date },
): Promise<boolean> {
  return (await tx.rows(use, [tx.tenantId, id, counter, isSynced, now])).length === 1
}

/** Lists the passkeys of a user, the oldest first. */
export async function listPasskeyRows(tx: TenantTx, userId: UserId): Promise<readonly PasskeyView[]> {
  return tx.rows<PasskeyView>(list, [tx.tenantId, userId])
}

/** Renames a passkey of a user. Returns false if there is none. */
export async function updatePasskeyName(tx: TenantTx, userId: UserId, id: string, name: string): Promise<boolean> {
  return (await tx.rows(rename, [tx.tenantId, userId, id, name])).length === 1
}

/** Deletes a passkey of a user. Returns false if there is none. */
export async function deletePasskey(tx: TenantTx, userId: UserId, id: string): Promise<boolean> {
  return (await tx.rows(remove, [tx.tenantId, userId, id])).length === 1
}
