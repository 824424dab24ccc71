import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { runSteps, sql, type TenantTx } from '../../store/store.ts'
import { type SpentNonces, spendNonces } from '../offers/spent-nonce-store.ts'
import type { OwnValidity } from '../templates/validity.ts'
import { findListKind, takeEntries } from './credential-store.ts'

// In UTC, since the sum of a time and an interval depends on the time zone of the session otherwise.
const allowRefills = sql(
  'issuance.allow_refills',
  `update issuance set refill_until = (issued_at at time zone 'UTC' + $3 * interval '1 day') at time zone 'UTC'
   where tenant_id = $1 and id = $2 and refill_until is null and family_id is not null and issued_at is not null`,
)
// The entries are of the list of the first copies, also after it was closed: it is 60 % full at most then, and one list
// is all that a change of status has to write. An entry or nonce that a concurrent request takes stops the transaction
// by a unique index.
const refill = sql(
  'issuance.refill_copies',
  `with found as (
     select id, array(
       select number from unnest(:candidates::int[]) as candidate (number)
       where (select count(*) from status_entry e where e.status_list_id = i.status_list_id and e.status_index = number
         and e.tenant_id = :tenantId) = 0
       limit :copies::int) as free
     from issuance i where tenant_id = :tenantId and id = :id
   )
   update issuance i set holder_keys_hash = :holderKeysHash, refills = coalesce(refills, 0) + 1,
     reservations = reservations + 1, updated_at = :now,
     status_indices = case when revocable then status_indices || found.free end
   from found
   where i.tenant_id = :tenantId and i.id = :id and token_hash = :tokenHash and token_expires_at > :now
     and refill_until > :now and coalesce(refills, 0) < :timesMax
     and sealed_claims is not null and status = 'completed' and standing = 'valid'
     and holder_keys_hash <> :holderKeysHash
     and (not revocable or cardinality(found.free) = :copies)
   returning issued_at as "issuedAt", sealed_claims as "sealedClaims", status_list_id as "listId",
     own_valid_from as "ownValidFrom", own_valid_until as "ownValidUntil", found.free as indices`,
)

/** A request for copies that are bound to other keys than the last ones. */
type RefillRequest = SpentNonces & {
  readonly id: string
  readonly tokenHash: Buffer
  /** SHA-256 over all keys of the request. */
  readonly holderKeysHash: Buffer
  readonly copies: number
  /** Random entries of a status list to choose from, more than copies; none: the credential cannot be revoked. */
  readonly candidates: readonly number[]
}

type Refilled = OwnValidity & {
  readonly issuedAt: Date
  readonly sealedClaims: Buffer
  readonly indices: readonly number[]
  readonly listId: string | null
  readonly authorityId: string | null
  readonly kid: string | null
}

/**
 * Lets the wallet that redeemed a code get new copies for so many days from the issuance on, and keeps the claims until
 * then.
 */
export async function keepForRefills(tx: TenantTx, id: string, days: number): Promise<void> {
  await tx.rows(allowRefills, [tx.tenantId, id, days])
}

/**
 * Binds a credential that was issued to other keys, with entries of their own in its status list, all or nothing. The
 * entries of all copies are changed by a revocation. Of concurrent requests each takes its own entries, or is stopped
 * by a unique index.
 *
 * @param timesMax Refills of one credential.
 * @returns null if the credential is not issued, revoked or suspended, if its time or the refills are used up, or too
 *   few candidates are free
 * @throws an error of PostgreSQL, unique violation of `spent_nonce_pkey` or `status_entry_pkey`
 */
export async function refillCopies(
  tx: TenantTx,
  asked: RefillRequest,
  timesMax: number,
  entry: AuditEntry,
  now: Date,
): Promise<Refilled | null> {
  const { id, tokenHash, holderKeysHash, copies, candidates } = asked
  const [row] = await tx.rows<Omit<Refilled, 'authorityId' | 'kid'>>(refill, {
    tenantId: tx.tenantId,
    id,
    tokenHash,
    holderKeysHash,
    copies,
    candidates,
    timesMax,
    now,
  })
  if (row === undefined) return null
  const { listId, indices } = row
  const entries = listId === null ? [] : [takeEntries(tx, listId, indices)]
  await runSteps(tx, [...spendNonces(tx, asked), ...entries, auditStep(tx, entry, now)])
  return { ...row, ...(listId === null ? { authorityId: null, kid: null } : await findListKind(tx, listId)) }
}
