import type { UserId } from '../../caller.ts'
import type { Consent } from '../../contract/wallet/credentials.ts'
import type { Standing } from '../../protocols/status-list/packed-list.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { type Step, sql, type TenantTx } from '../../store/store.ts'
import { supersedingCredential } from '../display/life.ts'
import type { HeldCredential } from './credential.ts'

/** A credential with its first copy, sealed. `copyId`: the row that the seal is bound to. */
export type SealedCredential = HeldCredential & { readonly copyId: string; readonly sealedRaw: Buffer }

/** A credential that may answer a request. `standing`: by the last check of its status; null: it has no status list. */
export type PresentableCredential = SealedCredential & { readonly standing: Standing | null }

/**
 * A credential to insert. `offerHash`: digest of its offer. `checkAt`: when its status is checked next; null: it has
 * none. `remindAt`: when its holder is told that it ends; null: it has no end.
 */
export type NewCredential = HeldCredential & {
  readonly configurationId: string
  readonly offerHash: string
  readonly alsoTypes: readonly string[]
  readonly checkAt: Date | null
  readonly remindAt: Date | null
}

/** A copy to insert. */
export type NewCopy = { readonly id: string; readonly sealedRaw: Buffer; readonly sealedKey: Buffer | null }

/** A copy for a presentation. */
export type TakenCopy = {
  readonly credentialId: string
  readonly copyId: string
  readonly sealedRaw: Buffer
  readonly sealedKey: Buffer | null
  /** At most a quarter of the copies is unused, or one, and the issuer may issue new ones. */
  readonly isLow: boolean
}

const COLUMNS = `c.id, c.status, c.format, c.vct, c.iss, c.stated_iss as "statedIss",
  c.credential_issuer as "credentialIssuer", c.issued_at as "issuedAt",
  c.expires_at as "expiresAt", c.created_at as "createdAt", c.updated_at as "updatedAt"`
const WITH_COPY = `${COLUMNS}, k.id as "copyId", k.sealed_raw as "sealedRaw"`
const FIRST_COPY = `join wallet_credential_copy k on k.tenant_id = c.tenant_id and k.credential_id = c.id and k.position = 0`
const OF_USER = `c.tenant_id = $1 and c.user_id = $2`

const insertStatement = sql(
  'wallet.insert_credential',
  `insert into wallet_credential
     (tenant_id, id, user_id, status, format, vct, iss, credential_issuer, configuration_id, issued_at, expires_at, created_at, updated_at,
      also_types, offer_hash, stated_iss, remind_at)
   values (:tenantId, :id, :userId, 'pending', :format, :vct, :iss, :credentialIssuer, :configurationId, :issuedAt,
     :expiresAt, :createdAt, :createdAt, :alsoTypes, :offerHash, :statedIss, :remindAt)`,
)
const insertStanding = sql(
  'wallet.insert_standing',
  'insert into wallet_credential_standing (tenant_id, credential_id, check_at) values ($1, $2, $3)',
)
const insertCopy = sql(
  'wallet.insert_copy',
  `insert into wallet_credential_copy (tenant_id, id, credential_id, position, sealed_raw, sealed_key)
   values ($1, $2, $3, $4, $5, $6)`,
)
const findStatement = sql(
  'wallet.find_credential',
  `select ${WITH_COPY} from wallet_credential c ${FIRST_COPY} where ${OF_USER} and c.id = $3`,
)
const listReceivedStatement = sql(
  'wallet.list_received',
  `select ${WITH_COPY} from wallet_credential c ${FIRST_COPY} where ${OF_USER} and c.offer_hash = $3 and c.created_at >= $4 order by c.id`,
)
const page = pagedList({
  name: 'wallet.credentials',
  // PostgreSQL takes no parameter that a statement does not name, and one filter needs the time.
  select: `select ${WITH_COPY} from wallet_credential c ${FIRST_COPY}
     left join wallet_credential_standing s on s.tenant_id = c.tenant_id and s.credential_id = c.id
   where ${OF_USER} and $3::timestamptz is not null`,
  parameters: 3,
  id: 'c.id',
  filters: {
    status: (value) => `c.status = ${value}`,
    vct: (value) => `c.vct = ${value}`,
    superseded: {
      true: `${supersedingCredential('$3')} is not null`,
      false: `${supersedingCredential('$3')} is null`,
    },
  },
})
const listPresentableStatement = sql(
  'wallet.list_presentable',
  `select * from (
     select ${WITH_COPY}, s.standing,
       sum(octet_length(k.sealed_raw)) over (
         order by c.id desc rows between unbounded preceding and 1 preceding
       ) as "bytesBefore"
     from wallet_credential c ${FIRST_COPY}
       left join wallet_credential_standing s on s.tenant_id = c.tenant_id and s.credential_id = c.id
     where ${OF_USER} and c.status = 'accepted' and (c.expires_at is null or c.expires_at > $3)
       and c.format = any($5::text[])
       and ($6::text[] is null or c.vct = any($6) or c.also_types && $6) and ($7::uuid[] is null or c.id = any($7))
       and ($8::uuid is null or c.id < $8)
     order by c.id desc limit $4
   ) found where coalesce("bytesBefore", 0) < $9 order by id desc`,
)
const heldStatement = sql(
  'wallet.count_held',
  `select count(distinct c.id)::int as credentials, coalesce(sum(octet_length(k.sealed_raw)), 0)::float8 as bytes
   from wallet_credential c join wallet_credential_copy k on k.tenant_id = c.tenant_id and k.credential_id = c.id where ${OF_USER}`,
)
const setConsentStatement = sql(
  'wallet.set_consent',
  `update wallet_credential c set status = $4, updated_at = case when old.status = $4 then c.updated_at else $5::timestamptz end
   from (select id, status from wallet_credential where tenant_id = $1 and user_id = $2 and id = $3 for update) old
   where c.tenant_id = $1 and c.id = old.id returning old.status as "oldStatus"`,
)
const deleteStatement = sql(
  'wallet.delete_credential',
  `with gone as (delete from wallet_credential where tenant_id = $1 and user_id = $2 and id = $3 returning id, created_at), removed as (
     insert into wallet_removed_credential (tenant_id, id, user_id, sealed_view, created_at, removed_at)
     select $1, id, $2, $4, created_at, $5 from gone returning id
   ), unlinked as (
     update wallet_shared_link set ended_at = $5, updated_at = $5, secret_hash = null, sealed_presentation = null
     where tenant_id = $1 and user_id = $2 and credential_id = $3 and ended_at is null
   )
   select id from removed`,
)
/** Sealed bytes of the copies of one answer: all of them are open at a time, and the answer has what they disclose. */
const TAKEN_BYTES_MAX = 8 * 1024 * 1024
const takeCopiesStatement = sql(
  'wallet.take_copies',
  `update wallet_credential_copy k set used_at = $4
   from (
     select c.id as credential_id, next.id as copy_id, sum(next.bytes) over () as bytes,
       exists (select from wallet_refill r where r.tenant_id = $1 and r.id = c.id)
       and (select 4 * count(*) filter (where o.used_at is null and o.id <> next.id) <= greatest(4, count(*)) from wallet_credential_copy o
            where o.tenant_id = $1 and o.credential_id = c.id) as is_low
     from wallet_credential c cross join lateral (
       select fresh.id, octet_length(fresh.sealed_raw) as bytes from wallet_credential_copy fresh
       where fresh.tenant_id = $1 and fresh.credential_id = c.id
       order by fresh.used_at nulls first, fresh.position limit 1) next
     where ${OF_USER} and c.status = 'accepted' and c.id = any($3::uuid[])
   ) chosen
   where k.tenant_id = $1 and k.credential_id = chosen.credential_id and k.id = chosen.copy_id
     and chosen.bytes <= $5
   returning k.credential_id as "credentialId", k.id as "copyId", k.sealed_raw as "sealedRaw", k.sealed_key as "sealedKey", chosen.is_low as "isLow"`,
)

/** Returns the statements that insert the copies of a credential, to send after another one. */
export function copySteps({ tenantId }: TenantTx, credentialId: string, copies: readonly NewCopy[]): Step[] {
  return copies.map(({ id, sealedRaw, sealedKey }, position) => {
    return { statement: insertCopy, values: [tenantId, id, credentialId, position, sealedRaw, sealedKey] }
  })
}

/** Inserts a credential with all its copies, as pending, in one round trip. */
export async function insertCredential(
  tx: TenantTx,
  userId: UserId,
  held: NewCredential,
  copies: readonly NewCopy[],
): Promise<void> {
  const { id, format, vct, alsoTypes, iss, credentialIssuer, configurationId, issuedAt, expiresAt, createdAt } = held
  const steps = copySteps(tx, id, copies)
  const standing = { statement: insertStanding, values: [tx.tenantId, id, held.checkAt] }
  const values = {
    tenantId: tx.tenantId,
    id,
    userId,
    format,
    vct,
    alsoTypes,
    iss,
    statedIss: held.statedIss,
    credentialIssuer,
    configurationId,
    offerHash: held.offerHash,
    issuedAt,
    expiresAt,
    createdAt,
    remindAt: held.remindAt,
  }
  await tx.rows(insertStatement, values, held.checkAt === null ? steps : [standing, ...steps])
}

/** @returns null also for a credential of another user. */
export async function findCredential(tx: TenantTx, userId: UserId, id: string): Promise<SealedCredential | null> {
  return (await tx.rows<SealedCredential>(findStatement, [tx.tenantId, userId, id]))[0] ?? null
}

/** The filters of a list of credentials; null matches all. */
export type CredentialFilter = {
  readonly status: Consent | null
  readonly vct: string | null
  /** Whether another one has taken its place. */
  readonly superseded: 'true' | 'false' | null
}

/** Lists the credentials of the user that were received for an offer since a moment. */
export async function listCredentialsOf(
  tx: TenantTx,
  userId: UserId,
  offerHash: string,
  since: Date,
): Promise<SealedCredential[]> {
  return tx.rows(listReceivedStatement, [tx.tenantId, userId, offerHash, since])
}

/** Returns one page, and one row more if there is a next page. */
export async function listCredentials(
  tx: TenantTx,
  userId: UserId,
  filter: CredentialFilter,
  list: PageRequest,
  now: Date,
): Promise<SealedCredential[]> {
  return page<SealedCredential>(tx, list, [tx.tenantId, userId, now], filter)
}

/**
 * The credentials that may answer a request: of these formats, types and ids. `types`, `ids`: null for no restriction.
 */
type Presentable = {
  readonly formats: readonly HeldCredential['format'][]
  readonly types: readonly string[] | null
  readonly ids: readonly string[] | null
}

/** A part of a list. `before`: only credentials older than this id; null: from the newest on. */
type Part = { readonly before: string | null; readonly countMax: number; readonly bytesMax: number }

/**
 * Lists the credentials that may be presented, newest first: accepted and not expired. Revoked and suspended ones are
 * among them, with that status. The last copy is that with which `bytesMax` is reached or exceeded; a list of fewer
 * bytes is the end.
 */
export async function listPresentable(
  tx: TenantTx,
  userId: UserId,
  { formats, types, ids }: Presentable,
  now: Date,
  { before, countMax, bytesMax }: Part,
): Promise<PresentableCredential[]> {
  return tx.rows(listPresentableStatement, [tx.tenantId, userId, now, countMax, formats, types, ids, before, bytesMax])
}

/** Counts the credentials of a wallet and the bytes of their copies. */
export async function countHeld(tx: TenantTx, userId: UserId): Promise<{ credentials: number; bytes: number }> {
  const [row] = await tx.rows<{ credentials: number; bytes: number }>(heldStatement, [tx.tenantId, userId])
  return row ?? { credentials: 0, bytes: 0 }
}

/**
 * Sets the consent. One statement, so concurrent changes see each other's status.
 *
 * @returns the status before, or null if there is no such credential of this user.
 */
export async function updateConsent(
  tx: TenantTx,
  userId: UserId,
  id: string,
  status: Consent,
  now: Date,
): Promise<Consent | null> {
  const [row] = await tx.rows<{ oldStatus: Consent }>(setConsentStatement, [tx.tenantId, userId, id, status, now])
  return row?.oldStatus ?? null
}

/**
 * Removes a credential, its copies and their keys, ends its links, and inserts a trace of it for the history.
 *
 * @returns whether there was one.
 */
export async function deleteCredential(
  tx: TenantTx,
  userId: UserId,
  { id, sealedTrace }: { readonly id: string; readonly sealedTrace: Buffer },
  now: Date,
): Promise<boolean> {
  const rows = await tx.rows(deleteStatement, [tx.tenantId, userId, id, sealedTrace, now])
  return rows.length > 0
}

/**
 * Takes one copy of each credential for a presentation and marks it used: an unused one if there is any, else the least
 * recently used. Marked before it is sent, because a verifier may have received what it did not confirm.
 *
 * @returns none, and none is marked, if they have more than {@link TAKEN_BYTES_MAX} together
 */
export async function takeCopies(
  tx: TenantTx,
  userId: UserId,
  credentialIds: readonly string[],
  now: Date,
): Promise<TakenCopy[]> {
  return tx.rows(takeCopiesStatement, [tx.tenantId, userId, credentialIds, now, TAKEN_BYTES_MAX])
}
