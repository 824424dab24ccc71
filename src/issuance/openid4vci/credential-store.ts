import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditCte, auditValues } from '../../events/audit/recorded-sql.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { ListKind } from '../status/status-entries.ts'

const selectClaims = sql(
  'issuance.get_claims',
  `select sealed_claims as "sealedClaims" from issuance
   where tenant_id = $1 and id = $2 and token_hash = $3 and token_expires_at > $4`,
)

/** Returns the sealed claims of an access token; null if they were erased or the token is revoked. */
export async function findClaims(
  tx: TenantTx,
  { id, tokenHash }: Pick<Reservation, 'id' | 'tokenHash'>,
  now: Date,
): Promise<Buffer | null> {
  const [row] = await tx.rows<{ sealedClaims: Buffer | null }>(selectClaims, [tx.tenantId, id, tokenHash, now])
  return row?.sealedClaims ?? null
}

// A count instead of NOT EXISTS, which would become a join over all entries of the tenant; the search ends with the entries it needs. An
// update that waits for another one must not read a writing CTE, so all other writes come after `bound`. A first reservation takes entries; one
// after a reported failure or a failed signature has them. If a concurrent request has opened the list since this statement began, the entries
// are inserted again, so that the unique index stops the statement and it is retried.
const reserveCopies = sql(
  'issuance.reserve_copies',
  `with open_list as (
     select id, array(
       select number from unnest($8::int[]) as candidate (number)
       where (select count(*) from status_entry e where e.status_list_id = list.id and e.status_index = number and e.tenant_id = $1) = 0
       limit $6::int) as free
     from status_list list where tenant_id = $1 and full_at is null and bits = $10 and authority_id is not distinct from $11::uuid
       and kid is not distinct from $12::text
   ), usable as (select id, free from open_list where cardinality(free) = $6),
   bound as (
     update issuance set holder_keys_hash = $4, issued_at = coalesce(issued_at, $5), status = 'completed', error = null,
       credential_status = case when status = 'completed' then credential_status else 'issued' end,
       updated_at = case when status = 'completed' then updated_at else $5 end, reservations = reservations + 1,
       status_list_id = coalesce(status_list_id, (select id from usable)), status_indices = coalesce(status_indices, (select free from usable))
     where tenant_id = $1 and id = $2 and token_hash = $3 and token_expires_at > $5 and sealed_claims is not null
       and status in ('offered', 'completed', 'failed') and (holder_keys_hash is null or holder_keys_hash = $4)
       and (not revocable or status_list_id is not null or exists (select from usable))
     returning issued_at, sealed_claims, status_list_id, status_indices, reservations = 1 and reports = 0 and not reinstated as is_first,
       reservations = 1 and reports > 0 as is_after_failure
   ), spent as (
     insert into spent_nonce (tenant_id, nonce_hash, made_at)
     select $1, nonce.hash, nonce.made_at from bound cross join unnest($7::bytea[], $9::timestamptz[]) as nonce (hash, made_at) returning nonce_hash
   ), listed as (
     select bound.*, list.id as list_id, list.authority_id, list.kid from bound
       left join status_list list on list.tenant_id = $1 and list.id = bound.status_list_id
   ), taken as (
     insert into status_entry (tenant_id, status_list_id, status_index)
     select $1, status_list_id, unnest(status_indices) from listed where is_first or list_id is null returning status_index
   ), completed as (
     select $2 as id from bound where is_first or is_after_failure
   ), ${auditCte({ from: 'completed', first: 13 })}
   select issued_at as "issuedAt", sealed_claims as "sealedClaims", status_indices as indices, list_id as "listId", authority_id as "authorityId",
     kid, not exists (select from open_list) as "needsList", not exists (select from usable) as "needsEntries"
   from (select 1) as always left join listed on true`,
)

/** What a credential request reserves: nonces, the holder's keys, status list entries. */
export type Reservation = {
  readonly id: string
  readonly tokenHash: Buffer
  /** SHA-256 over all keys of the request. */
  readonly holderKeysHash: Buffer
  /** Copies of the credential: as many entries are taken. */
  readonly copies: number
  readonly nonceHashes: readonly Buffer[]
  readonly noncesMadeAt: readonly Date[]
  /** Random entries of the open status list to choose from, more than copies. */
  readonly candidates: readonly number[]
  /** Selects one of the open status lists. */
  readonly listKind: ListKind
}

/**
 * The entries of the copies in a status list, in the order of the keys. `authorityId` and `kid`: the signer of the list, and so of the
 * credential.
 */
export type StatusEntries = Pick<ListKind, 'authorityId' | 'kid'> & {
  readonly listId: string
  readonly indices: readonly number[]
}

/** A credential that is bound to keys. `entries`: null if the credential cannot be revoked. */
export type Bound = {
  readonly issuedAt: Date
  readonly sealedClaims: Buffer
  readonly entries: StatusEntries | null
}

/** `no_entries`: the open list has too few of the candidates free; `no_list`: there is no open list. Nothing was changed then. */
export type Reserved =
  | (Bound & { readonly outcome: 'reserved' })
  | { readonly outcome: 'denied' | 'no_entries' | 'no_list' }

type ReservedRow = {
  readonly issuedAt: Date | null
  readonly sealedClaims: Buffer | null
  readonly indices: readonly number[] | null
  readonly listId: string | null
  readonly authorityId: string | null
  readonly kid: string | null
  readonly needsList: boolean
  readonly needsEntries: boolean
}

/**
 * Binds a credential to the holder's keys, spends the nonces, takes entries of the status list and completes the issuance, all or nothing. The
 * same keys get what they got before, and the entry is written once. One statement; a concurrent one is stopped by a unique index:
 *
 * @throws an error of PostgreSQL, unique violation of `spent_nonce_pkey` (the nonce was used) or `status_entry_pkey` (try again with other
 * candidates)
 */
export async function reserveCredential(
  tx: TenantTx,
  asked: Reservation,
  entry: AuditEntry,
  now: Date,
): Promise<Reserved> {
  const [row] = await tx.rows<ReservedRow>(reserveCopies, [
    ...[tx.tenantId, asked.id, asked.tokenHash, asked.holderKeysHash, now, asked.copies],
    ...[asked.nonceHashes, asked.candidates, asked.noncesMadeAt],
    ...[asked.listKind.bits, asked.listKind.authorityId, asked.listKind.kid, ...auditValues(entry, now)],
  ])
  if (row === undefined) throw new Error('the reservation answered nothing')
  const { issuedAt, sealedClaims, listId, indices, authorityId, kid } = row
  if (issuedAt !== null && sealedClaims !== null) {
    // the last ones are those of the current keys
    const own = indices?.slice(-asked.copies) ?? null
    const entries = listId === null || own === null ? null : { listId, indices: own, authorityId, kid }
    return { outcome: 'reserved', issuedAt, sealedClaims, entries }
  }
  if (asked.candidates.length === 0) return { outcome: 'denied' }
  if (row.needsList) return { outcome: 'no_list' }
  return { outcome: row.needsEntries ? 'no_entries' : 'denied' }
}

const openNextList = sql(
  'issuance.insert_status_list',
  `insert into status_list (tenant_id, id, created_at, bits, authority_id, kid) values ($1, $2, $3, $4, $5, $6)
   on conflict (tenant_id, bits, authority_id, kid) where full_at is null do nothing`,
)
const closeFullList = sql(
  'issuance.close_status_list',
  `update status_list set full_at = $2 where tenant_id = $1 and full_at is null and bits = $4 and authority_id is not distinct from $5::uuid
     and kid is not distinct from $6::text and (select count(*) from status_entry e where e.status_list_id = status_list.id and e.tenant_id = $1) >= $3`,
)

/** Opens a status list if none of its kind is open. */
export async function openStatusList(tx: TenantTx, id: string, kind: ListKind, now: Date): Promise<void> {
  await tx.rows(openNextList, [tx.tenantId, id, now, kind.bits, kind.authorityId, kind.kid])
}

/** Ends the open status list of a kind if at least `takenMin` of its entries are taken. */
export async function closeStatusList(tx: TenantTx, takenMin: number, kind: ListKind, now: Date): Promise<void> {
  await tx.rows(closeFullList, [tx.tenantId, now, takenMin, kind.bits, kind.authorityId, kind.kid])
}

const reopenIssuance = sql(
  'issuance.reinstate_reservation',
  `with upd as (
     update issuance set status = 'offered', credential_status = case when approval is null then 'offered' else 'deferred' end, issued_at = null, reservations = 0, reinstated = true, updated_at = $3
     where tenant_id = $1 and id = $2 and reservations = 1 and reports = 0 and status = 'completed'
       and credential_status = 'issued' and standing = 'valid'
     returning id
   ), ${auditCte({ from: 'upd', first: 4 })}
   select id from upd`,
)

/**
 * Opens an issuance again that was completed by a request that then could not be answered, unless there was another request: that one may
 * have the credential, and what is out must stay as it is, or it could not be revoked. Keys and entries stay.
 */
export async function reinstateReservation(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<void> {
  await tx.rows(reopenIssuance, [tx.tenantId, id, now, ...auditValues(entry, now)])
}
