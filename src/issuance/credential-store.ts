import type { Entry } from '../events/entry.ts'
import { auditCte, auditValues } from '../events/recorded-sql.ts'
import { sql, type TenantTx } from '../store/store.ts'
import type { ListKind } from './status-slots.ts'

/** What an access token stands for. */
export type Granted = {
  readonly id: string
  readonly templateId: string
  readonly templateVersion: number
  readonly credentialId: string
  readonly identified: boolean
  readonly revocable: boolean
  /** null once they were forgotten. */
  readonly sealedClaims: Buffer | null
}

const selectGranted = sql(
  'issuance.by_token',
  `select id, template_id, template_version, credential_id, identified, revocable, sealed_claims from issuance
   where tenant_id = $1 and token_hash = $2 and token_expires_at > $3`,
)

type GrantedRow = {
  id: string
  template_id: string
  template_version: number
  credential_id: string
  identified: boolean
  revocable: boolean
  sealed_claims: Buffer | null
}

/** The issuance behind an access token that is still good. */
export async function findGranted(tx: TenantTx, tokenHash: Buffer, now: Date): Promise<Granted | null> {
  const [row] = await tx.rows<GrantedRow>(selectGranted, [tx.tenantId, tokenHash, now])
  if (row === undefined) return null
  return {
    id: row.id,
    templateId: row.template_id,
    templateVersion: row.template_version,
    credentialId: row.credential_id,
    identified: row.identified,
    revocable: row.revocable,
    sealedClaims: row.sealed_claims,
  }
}

// Whoever gets again what is there moves updated_at on by less than is shown, so that `reopen` sees that somebody was here.
// A count and not NOT EXISTS: that would become a join over all copies of the tenant, this is one look into the index a candidate, few of
// which are looked at. An update that has to wait for another one must not look at a writing CTE, so everything that writes comes after `bound`.
const reserveCopies = sql(
  'issuance.reserve',
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
     update issuance set holder_keys_hash = $5, issued_at = coalesce(issued_at, $6), status = 'completed',
       credential_status = case when status = 'offered' then 'issued' else credential_status end,
       updated_at = case when status = 'offered' then $6 else updated_at + interval '1 microsecond' end
     where tenant_id = $1 and id = $2 and token_hash = $4 and token_expires_at > $6 and sealed_claims is not null
       and status in ('offered', 'completed') and (holder_keys_hash is null or holder_keys_hash = $5)
       and (not revocable or exists (select from present) or (select count(*) from slot) >= cardinality($7::bytea[]))
     returning issued_at, revocable
   ), spent as (
     insert into spent_nonce (tenant_id, nonce_hash, expires_at)
     select $1, nonce.hash, $10 from bound cross join unnest($8::bytea[]) as nonce (hash)
   ), taken as (
     insert into issued_copy (tenant_id, credential_id, position, holder_key, status_list_id, status_index, created_at)
     select $1, $3, key.position, key.thumbprint, slot.id, slot.number, $6
     from bound cross join unnest($7::bytea[]) with ordinality as key (thumbprint, position)
       left join slot on bound.revocable and slot.position = key.position
     where not exists (select from present)
     returning position, status_list_id, status_index
   ), first as (
     select $2 as id from taken where position = 1
   ), ${auditCte({ from: 'first', first: 13 })}, copies as (select * from present union all select taken.*, $12::uuid from taken)
   select bound.issued_at, copies.position, copies.status_list_id, copies.status_index, copies.authority_id,
     not exists (select from open_list) as needs_list,
     (select count(*) from slot)::int < cardinality($7::bytea[]) as needs_slots
   from (select 1) as always left join bound on true left join copies on bound.issued_at is not null
   order by copies.position`,
)

/** What a credential request takes: nonces, the holder's keys, entries of the status list. */
export type Reservation = {
  readonly id: string
  readonly credentialId: string
  readonly tokenHash: Buffer
  /** SHA-256 over all keys of the request. */
  readonly holderKeysHash: Buffer
  /** RFC 7638 thumbprints, one a copy. */
  readonly holderKeys: readonly Buffer[]
  readonly nonceHashes: readonly Buffer[]
  readonly noncesUntil: Date
  /** Random entries of the open status list to choose from, more than there are copies. */
  readonly candidates: readonly number[]
  /** Which of the open status lists. */
  readonly listKind: ListKind
}

/** An entry of a status list. `authorityId`: under whom the list, and so the credential, is signed; null for the did:web keys. */
export type Slot = { readonly listId: string; readonly index: number; readonly authorityId: string | null }

/** One copy of a credential and its entry in a status list; null if the credential cannot be revoked. */
export type Copy = { readonly slot: Slot | null }

/** `no_slots`: the open list has too few of the candidates free; `no_list`: there is no open list. Nothing was changed then. */
export type Reserved =
  | { readonly outcome: 'reserved'; readonly issuedAt: Date; readonly copies: readonly Copy[] }
  | { readonly outcome: 'denied' | 'no_slots' | 'no_list' }

type ReservedRow = {
  issued_at: Date | null
  position: number | null
  status_list_id: string | null
  status_index: number | null
  authority_id: string | null
  needs_list: boolean
  needs_slots: boolean
}

/**
 * Binds a credential to the holder's keys, spends the nonces, takes entries of the status list and completes the issuance, all or nothing. The
 * same keys get what they got before, and the entry is written once. One statement; who comes at the same moment is stopped by a unique index:
 *
 * @throws an error of PostgreSQL, unique violation of `spent_nonce_pkey` (the nonce was used), `issued_copy_slot` or `issued_copy_pkey` (try
 * again with other candidates)
 */
export async function reserve(tx: TenantTx, asked: Reservation, entry: Entry, now: Date): Promise<Reserved> {
  const rows = await tx.rows<ReservedRow>(reserveCopies, [
    ...[tx.tenantId, asked.id, asked.credentialId, asked.tokenHash, asked.holderKeysHash, now],
    ...[asked.holderKeys, asked.nonceHashes, asked.candidates, asked.noncesUntil],
    ...[asked.listKind.bits, asked.listKind.authorityId, ...auditValues(entry, now)],
  ])
  const [first] = rows
  if (first === undefined) throw new Error('the reservation answered nothing')
  if (first.issued_at === null) {
    if (first.needs_list) return { outcome: 'no_list' }
    return { outcome: first.needs_slots ? 'no_slots' : 'denied' }
  }
  return { outcome: 'reserved', issuedAt: first.issued_at, copies: rows.map(copyOf) }
}

function copyOf({ status_list_id: listId, status_index: index, authority_id: authorityId }: ReservedRow): Copy {
  return { slot: listId === null || index === null ? null : { listId, index, authorityId } }
}

const openNextList = sql(
  'issuance.status_list.open',
  `insert into status_list (tenant_id, id, created_at, bits, authority_id) values ($1, $2, $3, $4, $5)
   on conflict (tenant_id, bits, authority_id) where full_at is null do nothing`,
)
const closeFullList = sql(
  'issuance.status_list.close',
  `update status_list set full_at = $2 where tenant_id = $1 and full_at is null and bits = $4 and authority_id is not distinct from $5::uuid
     and (select count(*) from issued_copy c where c.tenant_id = $1 and c.status_list_id = status_list.id) >= $3`,
)

/** Opens a status list if none of its kind is open. */
export async function openList(tx: TenantTx, id: string, kind: ListKind, now: Date): Promise<void> {
  await tx.rows(openNextList, [tx.tenantId, id, now, kind.bits, kind.authorityId])
}

/** Ends the open status list of a kind if at least `takenMin` of its entries are taken. */
export async function closeList(tx: TenantTx, takenMin: number, kind: ListKind, now: Date): Promise<void> {
  await tx.rows(closeFullList, [tx.tenantId, now, takenMin, kind.bits, kind.authorityId])
}

const reopenIssuance = sql(
  'issuance.reopen',
  `with upd as (
     update issuance set status = 'offered', credential_status = 'offered', issued_at = null, updated_at = $3
     where tenant_id = $1 and id = $2 and issued_at = $4 and updated_at = issued_at and status = 'completed'
       and credential_status = 'issued' and standing = 'valid'
     returning id
   ), ${auditCte({ from: 'upd', first: 5 })}
   select id from upd`,
)

/**
 * Opens an issuance again that was completed at `issuedAt` by a request that then could not be answered. Not if anybody else was here since: they
 * may have the credential, and what is out must stay as it is, or nobody could revoke it. Keys and entries stay.
 */
export async function reopen(tx: TenantTx, id: string, issuedAt: Date, entry: Entry, now: Date): Promise<void> {
  await tx.rows(reopenIssuance, [tx.tenantId, id, now, issuedAt, ...auditValues(entry, now)])
}
