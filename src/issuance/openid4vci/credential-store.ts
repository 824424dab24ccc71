import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { auditStep, auditWhere } from '../../events/audit/recorded-sql.ts'
import { type Step, sql, type TenantTx, wrote } from '../../store/store.ts'
import { type SpentNonces, spendNonces } from '../offers/spent-nonce-store.ts'
import type { ListKind } from '../status/status-entries.ts'
import { insertStatusLists } from '../status/status-list-store.ts'
import type { OwnValidity } from '../templates/validity.ts'

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

// A count instead of NOT EXISTS, which would become a join over all entries of the tenant; the search ends with the
// entries it needs.
const OPEN_LIST = `select list.id, array(
    select number from unnest(:candidates::int[]) as candidate (number)
    where (select count(*) from status_entry e where e.status_list_id = list.id and e.status_index = number
      and e.tenant_id = :tenantId) = 0
    limit :copies::int) as free
  from status_list list where list.tenant_id = :tenantId and list.full_at is null and list.bits = :bits
    and list.authority_id is not distinct from :authorityId::uuid
    and list.kid is not distinct from :kid::text`
// A first reservation takes entries; one after a reported failure or a failed signature has them.
const isReservable = `i.tenant_id = :tenantId and i.id = :id and i.token_hash = :tokenHash and i.token_expires_at > :now
     and i.sealed_claims is not null and i.status in ('offered', 'completed', 'failed')
     and (i.holder_keys_hash is null or i.holder_keys_hash = :holderKeysHash)`
const reserveCopies = sql(
  'issuance.reserve_copies',
  `update issuance i set holder_keys_hash = :holderKeysHash::bytea, issued_at = coalesce(i.issued_at, :now),
     valid_until = coalesce(i.valid_until, i.own_valid_until, :validUntil::timestamptz), status = 'completed', error = null,
     credential_status = case when i.status = 'completed' then i.credential_status else 'issued' end,
     updated_at = case when i.status = 'completed' then i.updated_at else :now end, reservations = i.reservations + 1,
     status_list_id = coalesce(i.status_list_id, usable.id), status_indices = coalesce(i.status_indices, usable.free)
   from (select 1) as always left join (${OPEN_LIST}) as usable on cardinality(usable.free) = :copies
   where ${isReservable} and (not i.revocable or i.status_list_id is not null or usable.id is not null)
   returning i.issued_at as "issuedAt", i.sealed_claims as "sealedClaims", i.status_indices as indices, i.status_list_id as "listId",
     i.own_valid_from as "ownValidFrom", i.own_valid_until as "ownValidUntil",
     i.status_list_id is not distinct from usable.id as "isOpen"`,
)
const wasReserved = wrote('issuance.require_reservation', 'issuance')
/** SQL: takes entries. `rows`: the list and the index of each. */
const insertEntriesSql = (rows: string) =>
  `insert into status_entry (tenant_id, status_list_id, status_index) select :tenantId, ${rows} returning status_index`
const insertEntries = sql('issuance.insert_status_entries', insertEntriesSql(':listId, unnest(:indices::int[])'))
const insertReserved = sql(
  'issuance.insert_reserved_entries',
  insertEntriesSql(`status_list_id, unnest(status_indices) from issuance
   where tenant_id = :tenantId and id = :id and status_list_id is not null and reservations = 1 and reports = 0
     and not reinstated`),
)
// Once for each first reservation, and for each after a reported failure.
const insertCompletion = auditWhere(
  'issuance.insert_completion',
  'issuance where tenant_id = :tenantId and id = :id and reservations = 1 and (reports > 0 or not reinstated)',
)
const selectLack = sql(
  'issuance.find_lack',
  `select usable.id is null as "needsList", cardinality(usable.free) < :copies as "needsEntries"
   from issuance i left join (${OPEN_LIST}) as usable on true where ${isReservable}`,
)
const selectOthers = sql(
  'issuance.find_other_keys',
  'select id from issuance where tenant_id = $1 and id = $2 and token_hash = $3 and holder_keys_hash <> $4',
)
const selectKind = sql(
  'issuance.get_list_kind',
  'select authority_id as "authorityId", kid from status_list where tenant_id = $1 and id = $2',
)

/** What a credential request reserves: nonces, the holder's keys, status list entries. */
export type Reservation = SpentNonces & {
  readonly id: string
  readonly tokenHash: Buffer
  /** SHA-256 over all keys of the request. */
  readonly holderKeysHash: Buffer
  /** Copies of the credential: as many entries are taken. */
  readonly copies: number
  /** Random entries of the open status list to choose from, more than copies. */
  readonly candidates: readonly number[]
  /** Selects one of the open status lists. */
  readonly listKind: ListKind
  /** When a credential that is issued now ends by its template; null: never. */
  readonly validUntil: Date | null
}

/**
 * The entries of the copies in a status list, in the order of the keys. `authorityId` and `kid`: the signer of the
 * list, and so of the credential.
 */
export type StatusEntries = Pick<ListKind, 'authorityId' | 'kid'> & {
  readonly listId: string
  readonly indices: readonly number[]
}

/** A credential that is bound to keys. `entries`: null if the credential cannot be revoked. */
export type Bound = OwnValidity & {
  readonly issuedAt: Date
  readonly sealedClaims: Buffer
  readonly entries: StatusEntries | null
}

/**
 * `no_entries`: the open list has too few of the candidates free; `no_list`: there is no open list. Nothing was changed
 * then.
 */
export type Reserved =
  | (Bound & { readonly outcome: 'reserved' })
  | { readonly outcome: 'denied' | 'no_entries' | 'no_list' }

/** `isOpen`: the entries are in the list that was asked for, or the credential has none. */
type ReservedRow = OwnValidity & {
  readonly issuedAt: Date
  readonly sealedClaims: Buffer
  readonly indices: readonly number[] | null
  readonly listId: string | null
  readonly isOpen: boolean
}

/**
 * Binds a credential to the holder's keys, spends the nonces, takes entries of the status list and completes the
 * issuance, all or nothing. The same keys get what they got before, and the entry is written once. A concurrent request
 * is stopped by the row or by a unique index:
 *
 * @returns `isOpen` false: the entries are in another list, whose kind {@link findListKind} returns
 * @throws Refused if other keys have the credential, it is closed, or the open list has too few of the candidates free;
 *   an error of PostgreSQL, unique violation of `spent_nonce_pkey` (the nonce was used) or `status_entry_pkey` (try
 *   again with other candidates)
 */
export async function reserveCredential(
  tx: TenantTx,
  asked: Reservation,
  entry: AuditEntry,
  now: Date,
): Promise<Bound & { readonly isOpen: boolean }> {
  const { id, copies, listKind } = asked
  const mine = { tenantId: tx.tenantId, id }
  const completion = auditStep(tx, entry, now)
  const [row] = await tx.rows<ReservedRow>(
    reserveCopies,
    { ...reservedBy(tx, asked, now), validUntil: asked.validUntil },
    [
      { statement: wasReserved, values: mine },
      ...spendNonces(tx, asked),
      { statement: insertReserved, values: mine },
      { statement: insertCompletion, values: { ...completion.values, id } },
    ],
  )
  if (row === undefined) throw new Error('the reservation answered nothing')
  const { issuedAt, sealedClaims, ownValidFrom, ownValidUntil, listId, indices, isOpen } = row
  // the last ones are those of the current keys
  const own = indices?.slice(-copies) ?? null
  const { authorityId, kid } = listKind
  const entries = listId === null || own === null ? null : { listId, indices: own, authorityId, kid }
  return { issuedAt, sealedClaims, ownValidFrom, ownValidUntil, entries, isOpen }
}

/** Returns the statement that takes entries of a status list. One that is taken violates `status_entry_pkey`. */
export function takeEntries({ tenantId }: TenantTx, listId: string, indices: readonly number[]): Step {
  return { statement: insertEntries, values: { tenantId, listId, indices } }
}

/** Returns why {@link reserveCredential} was refused; null: it would not be now. */
export async function findLack(
  tx: TenantTx,
  asked: Omit<Reservation, 'validUntil'>,
  now: Date,
): Promise<'denied' | 'no_entries' | 'no_list' | null> {
  const values = reservedBy(tx, asked, now)
  const [row] = await tx.rows<{ needsList: boolean; needsEntries: boolean | null }>(selectLack, values)
  if (row === undefined) return 'denied'
  if (asked.candidates.length === 0) return null
  if (row.needsList) return 'no_list'
  return row.needsEntries === true ? 'no_entries' : null
}

/** Returns whether the credential of an access token is bound to other keys. */
export async function isBoundToOthers(
  tx: TenantTx,
  { id, tokenHash, holderKeysHash }: Pick<Reservation, 'id' | 'tokenHash' | 'holderKeysHash'>,
): Promise<boolean> {
  return (await tx.rows(selectOthers, [tx.tenantId, id, tokenHash, holderKeysHash])).length === 1
}

/** Returns the signer of a status list. */
export async function findListKind(tx: TenantTx, listId: string): Promise<Pick<ListKind, 'authorityId' | 'kid'>> {
  const [row] = await tx.rows<Pick<ListKind, 'authorityId' | 'kid'>>(selectKind, [tx.tenantId, listId])
  if (row === undefined) throw new Error('no such status list')
  return row
}

function reservedBy(tx: TenantTx, asked: Omit<Reservation, 'validUntil'>, now: Date) {
  const { copies, listKind, candidates, id, tokenHash, holderKeysHash } = asked
  const { bits, authorityId, kid } = listKind
  return { tenantId: tx.tenantId, copies, bits, authorityId, kid, candidates, id, tokenHash, holderKeysHash, now }
}

const closeFullList = sql(
  'issuance.close_status_list',
  `update status_list set full_at = $2 where tenant_id = $1 and full_at is null and bits = $4 and authority_id is not distinct from $5::uuid
     and kid is not distinct from $6::text and (select count(*) from status_entry e where e.status_list_id = status_list.id and e.tenant_id = $1) >= $3`,
)

/** Opens a status list if none of its kind is open. */
export async function openStatusList(tx: TenantTx, id: string, kind: ListKind, now: Date): Promise<void> {
  await insertStatusLists(tx, [{ listId: id, ...kind }], null, now)
}

/** Ends the open status list of a kind if at least `takenMin` of its entries are taken. */
export async function closeStatusList(tx: TenantTx, takenMin: number, kind: ListKind, now: Date): Promise<void> {
  await tx.rows(closeFullList, [tx.tenantId, now, takenMin, kind.bits, kind.authorityId, kind.kid])
}

const reopenIssuance = sql(
  'issuance.reinstate_reservation',
  `update issuance set status = 'offered',
     credential_status = case when approval is null then 'offered' else 'deferred' end,
     issued_at = null, valid_until = null, reservations = 0, reinstated = true, updated_at = $3
   where tenant_id = $1 and id = $2 and reservations = 1 and reports = 0 and status = 'completed'
     and credential_status = 'issued' and standing = 'valid'
   returning id`,
)

/**
 * Opens an issuance again that was completed by a request that then could not be answered, unless there was another
 * request: that one may have the credential, and what is out must stay as it is, or it could not be revoked. Keys and
 * entries stay.
 */
export async function reinstateReservation(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<void> {
  await recordChange(tx, reopenIssuance, [tx.tenantId, id, now], entry, now)
}
