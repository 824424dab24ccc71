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

// Slots: a count instead of NOT EXISTS, which would become a join over all copies of the tenant; this is one index look-up for each candidate.
// An update that waits for another one must not read a writing CTE, so all other writes come after `bound`.
const reserveCopies = sql(
  'issuance.reserve_copies',
  `with present as (
     select position, status_list_id, status_index,
       (select authority_id from status_list list where list.tenant_id = $1 and list.id = status_list_id) as authority_id
     from issued_copy where tenant_id = $1 and credential_id = $3
   ), open_list as (
     select id from status_list where tenant_id = $1 and full_at is null and bits = $11 and authority_id is not distinct from $12::uuid
   ), slot as (
     select free.id, free.number, row_number() over () as position from (
       select open_list.id, candidate.number
       from open_list cross join unnest($9::int[]) with ordinality as candidate (number, place)
       where (select count(*) from issued_copy c
         where c.tenant_id = $1 and c.status_list_id = open_list.id and c.status_index = candidate.number) = 0
       order by candidate.place limit cardinality($7::bytea[])
     ) as free
   ), bound as (
     update issuance set holder_keys_hash = $5, issued_at = coalesce(issued_at, $6), status = 'completed', error = null,
       credential_status = case when status = 'completed' then credential_status else 'issued' end,
       updated_at = case when status = 'completed' then updated_at else $6 end, reservations = reservations + 1
     where tenant_id = $1 and id = $2 and token_hash = $4 and token_expires_at > $6 and sealed_claims is not null
       and status in ('offered', 'completed', 'failed') and (holder_keys_hash is null or holder_keys_hash = $5)
       and (not revocable or exists (select from present) or (select count(*) from slot) >= cardinality($7::bytea[]))
     returning issued_at, revocable, reservations, reports, sealed_claims
   ), spent as (
     insert into spent_nonce (tenant_id, nonce_hash, made_at)
     select $1, nonce.hash, nonce.made_at from bound cross join unnest($8::bytea[], $10::timestamptz[]) as nonce (hash, made_at)
   ), taken as (
     insert into issued_copy (tenant_id, credential_id, position, holder_key, status_list_id, status_index, created_at)
     select $1, $3, key.position, key.thumbprint, slot.id, slot.number, $6
     from bound cross join unnest($7::bytea[]) with ordinality as key (thumbprint, position)
       left join slot on bound.revocable and slot.position = key.position
     where not exists (select from present)
     returning position, status_list_id, status_index
   ), first as (
     select $2 as id from bound where reservations = 1 and (reports > 0 or exists (select from taken))
   ), ${auditCte({ from: 'first', first: 13 })}, copies as (select * from present union all select taken.*, $12::uuid from taken)
   select bound.issued_at as "issuedAt",
     case when copies.position = 1 then bound.sealed_claims end as "sealedClaims",
     copies.status_list_id as "listId", copies.status_index as index, copies.authority_id as "authorityId",
     not exists (select from open_list) as "needsList",
     (select count(*) from slot)::int < cardinality($7::bytea[]) as "needsSlots"
   from (select 1) as always left join bound on true left join copies on bound.issued_at is not null
   order by copies.position`,
)

/** What a credential request reserves: nonces, the holder's keys, status list entries. */
export type Reservation = {
  readonly id: string
  readonly credentialId: string
  readonly tokenHash: Buffer
  /** SHA-256 over all keys of the request. */
  readonly holderKeysHash: Buffer
  /** RFC 7638 thumbprints, one a copy. */
  readonly holderKeys: readonly Buffer[]
  readonly nonceHashes: readonly Buffer[]
  readonly noncesMadeAt: readonly Date[]
  /** Random entries of the open status list to choose from, more than copies. */
  readonly candidates: readonly number[]
  /** Selects one of the open status lists. */
  readonly listKind: ListKind
}

/** An entry of a status list. `authorityId`: under whom the list, and so the credential, is signed; null for the did:web keys. */
type StatusSlot = { readonly listId: string; readonly index: number; readonly authorityId: string | null }

/** One copy of a credential and its entry in a status list; null if the credential cannot be revoked. */
export type ReservedCopy = { readonly slot: StatusSlot | null }

/** A credential that is bound to keys. */
export type Bound = {
  readonly issuedAt: Date
  readonly sealedClaims: Buffer
  readonly copies: readonly ReservedCopy[]
}

/** `no_slots`: the open list has too few of the candidates free; `no_list`: there is no open list. Nothing was changed then. */
export type Reserved =
  | (Bound & { readonly outcome: 'reserved' })
  | { readonly outcome: 'denied' | 'no_slots' | 'no_list' }

type ReservedRow = {
  issuedAt: Date | null
  sealedClaims: Buffer | null
  listId: string | null
  index: number | null
  authorityId: string | null
  needsList: boolean
  needsSlots: boolean
}

/**
 * Binds a credential to the holder's keys, spends the nonces, takes entries of the status list and completes the issuance, all or nothing. The
 * same keys get what they got before, and the entry is written once. One statement; who comes at the same moment is stopped by a unique index:
 *
 * @throws an error of PostgreSQL, unique violation of `spent_nonce_pkey` (the nonce was used), `issued_copy_slot` or `issued_copy_pkey` (try
 * again with other candidates)
 */
export async function reserveCredential(
  tx: TenantTx,
  asked: Reservation,
  entry: AuditEntry,
  now: Date,
): Promise<Reserved> {
  const rows = await tx.rows<ReservedRow>(reserveCopies, [
    ...[tx.tenantId, asked.id, asked.credentialId, asked.tokenHash, asked.holderKeysHash, now],
    ...[asked.holderKeys, asked.nonceHashes, asked.candidates, asked.noncesMadeAt],
    ...[asked.listKind.bits, asked.listKind.authorityId, ...auditValues(entry, now)],
  ])
  const [first] = rows
  if (first === undefined) throw new Error('the reservation answered nothing')
  const { issuedAt, sealedClaims } = first
  if (issuedAt === null || sealedClaims === null) {
    if (first.needsList) return { outcome: 'no_list' }
    return { outcome: first.needsSlots ? 'no_slots' : 'denied' }
  }
  return { outcome: 'reserved', issuedAt, sealedClaims, copies: rows.map(copyOf) }
}

function copyOf({ listId, index, authorityId }: ReservedRow): ReservedCopy {
  return { slot: listId === null || index === null ? null : { listId, index, authorityId } }
}

const openNextList = sql(
  'issuance.insert_status_list',
  `insert into status_list (tenant_id, id, created_at, bits, authority_id) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id, bits, authority_id) where full_at is null do nothing`,
)
const closeFullList = sql(
  'issuance.close_status_list',
  `update status_list set full_at = $2 where tenant_id = $1 and full_at is null and bits = $4 and authority_id is not distinct from $5::uuid
     and (select count(*) from issued_copy c where c.tenant_id = $1 and c.status_list_id = status_list.id) >= $3`,
)

/** Opens a status list if none of its kind is open. */
export async function openStatusList(tx: TenantTx, id: string, kind: ListKind, now: Date): Promise<void> {
  await tx.rows(openNextList, [tx.tenantId, id, now, kind.bits, kind.authorityId])
}

/** Ends the open status list of a kind if at least `takenMin` of its entries are taken. */
export async function closeStatusList(tx: TenantTx, takenMin: number, kind: ListKind, now: Date): Promise<void> {
  await tx.rows(closeFullList, [tx.tenantId, now, takenMin, kind.bits, kind.authorityId])
}

const reopenIssuance = sql(
  'issuance.reinstate_reservation',
  `with upd as (
     update issuance set status = 'offered', credential_status = 'offered', issued_at = null, reservations = 0, updated_at = $3
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
