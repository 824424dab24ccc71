import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import type { ProvedKey } from '../../protocols/openid4vci/jwt-proof.ts'
import { isFree, isHeld, type Lease, RELEASE, take } from '../../store/lease.ts'
import { runSteps, sql, type TenantTx } from '../../store/store.ts'
import { CLAIMS_END } from '../offers/claims-end.ts'
import { type SpentNonces, spendNonces } from '../offers/spent-nonce-store.ts'

/** An issuance and the access token that is presented for it. */
type TokenOf = { readonly id: string; readonly tokenHash: Buffer }

// The row is locked before it is read, so that of concurrent requests one is the first.
const defer = sql(
  'issuance.defer',
  `with seen as (
     select id, approval from (
       select id, approval from issuance
       where tenant_id = :tenantId and id = :id and token_hash = :tokenHash and token_expires_at > :now
         and sealed_claims is not null and status = 'offered'
         and (holder_keys_hash is null or holder_keys_hash = :holderKeysHash)
         and (approval is null or approval in ('pending', 'approved'))
       for update) as locked
   )
   update issuance i set credential_status = 'deferred', holder_keys_hash = :holderKeysHash,
     deferred_keys = :keys::jsonb, approval = coalesce(i.approval, 'pending'),
     token_expires_at = case when i.approval is null then :endsAt else i.token_expires_at end,
     expires_at = case when i.approval is null then :endsAt else i.expires_at end,
     updated_at = case when i.approval is null then :now else i.updated_at end
   from seen where i.tenant_id = :tenantId and i.id = seen.id
   returning seen.approval is null as "isFirst"`,
)

/** What a credential request that is deferred leaves behind. */
type Deferral = TokenOf &
  SpentNonces & {
    readonly holderKeysHash: Buffer
    readonly keys: readonly ProvedKey[]
    readonly endsAt: Date
  }

const selectDelivered = sql(
  'issuance.find_delivered',
  `select id from issuance where tenant_id = $1 and id = $2 and token_hash = $3 and token_expires_at > $4
     and approval = 'delivered'`,
)

/**
 * Defers a credential: binds it to the keys, spends the nonces, and keeps claims and token until `endsAt`. The same
 * keys may ask again, which changes nothing.
 *
 * @returns `delivered`: it was issued at the deferred endpoint already; `refused`: the token is revoked, other keys
 * have the credential, or it was denied
 * @throws an error of PostgreSQL, unique violation of `spent_nonce_pkey` (the nonce was used)
 */
export async function deferIssuance(
  tx: TenantTx,
  asked: Deferral,
  entry: AuditEntry,
  now: Date,
): Promise<'deferred' | 'delivered' | 'refused'> {
  const { id, tokenHash, holderKeysHash, keys, endsAt } = asked
  const [row] = await tx.rows<{ isFirst: boolean }>(defer, {
    tenantId: tx.tenantId,
    id,
    tokenHash,
    holderKeysHash,
    keys: JSON.stringify(keys),
    endsAt,
    now,
  })
  if (row === undefined) {
    const delivered = await tx.rows(selectDelivered, [tx.tenantId, id, tokenHash, now])
    return delivered.length === 1 ? 'delivered' : 'refused'
  }
  await runSteps(tx, [...spendNonces(tx, asked), ...(row.isFirst ? [auditStep(tx, entry, now)] : [])])
  return 'deferred'
}

const approve = sql(
  'issuance.approve',
  `update issuance set approval = 'approved', updated_at = $3
   where tenant_id = $1 and id = $2 and approval = 'pending' and status = 'offered' and ${CLAIMS_END} > $3
   returning id`,
)
const deny = sql(
  'issuance.deny',
  `update issuance set approval = 'denied', status = 'failed', credential_status = 'failed', sealed_claims = null,
     sealed_label = null, deferred_keys = null, error = $4::jsonb, updated_at = $3, ${RELEASE}
   where tenant_id = $1 and id = $2 and approval in ('pending', 'approved') and status = 'offered'
     and ${CLAIMS_END} > $3
   returning id`,
)
const selectDecision = sql(
  'issuance.find_decision',
  'select approval, status from issuance where tenant_id = $1 and id = $2',
)

/** Error of a denied issuance in our API. */
const DENIED = JSON.stringify({ code: 403, message: 'The issuance was denied.', details: [] })

/** `closed`: the issuance is not deferred, or no longer. A decision may be repeated. */
type Decided = 'unknown' | 'closed' | 'done'

/** Approves a deferred credential: the next poll of the wallet gets it. */
export async function approveDeferred(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<Decided> {
  if ((await recordChange(tx, approve, [tx.tenantId, id, now], entry, now)) !== null) return 'done'
  return decided(tx, id, ({ approval, status }) => approval === 'approved' && status === 'offered')
}

/** Denies a deferred credential, also an approved one that was not fetched, and erases its claims. */
export async function denyDeferred(tx: TenantTx, id: string, entry: AuditEntry, now: Date): Promise<Decided> {
  if ((await recordChange(tx, deny, [tx.tenantId, id, now, DENIED], entry, now)) !== null) return 'done'
  return decided(tx, id, ({ approval }) => approval === 'denied')
}

type Decision = { readonly approval: string | null; readonly status: string }

async function decided(tx: TenantTx, id: string, isDone: (found: Decision) => boolean): Promise<Decided> {
  const [found] = await tx.rows<Decision>(selectDecision, [tx.tenantId, id])
  if (found === undefined) return 'unknown'
  return isDone(found) ? 'done' : 'closed'
}

// The token's end is that of the deferral again, because a refreshed token may end sooner.
const takeApproved = sql(
  'issuance.take_approved',
  `with found as (
     select approval, status in ('offered', 'completed') and sealed_claims is not null and ${CLAIMS_END} > $4 as open
     from issuance where tenant_id = $1 and id = $2 and token_hash = $3
   ), taken as (
     update issuance set ${take('$5', '$6')}, token_expires_at = ${CLAIMS_END}
     where tenant_id = $1 and id = $2 and token_hash = $3 and approval = 'approved' and status in ('offered', 'completed')
       and sealed_claims is not null and ${CLAIMS_END} > $4 and ${isFree('$4')}
     returning deferred_keys
   )
   select approval, open, (select deferred_keys from taken) as keys from found`,
)

/**
 * `taken`: this request issues it. `pending` also while another request does. `unknown`: it was never deferred, or was
 * delivered.
 */
type Taken =
  | { readonly outcome: 'taken'; readonly keys: readonly ProvedKey[] }
  | { readonly outcome: 'pending' | 'denied' | 'unknown' | 'no_token' }

/** Acquires an approved credential for issuing. One statement, so one of many polls gets it. */
export async function takeDeferred(tx: TenantTx, { id, tokenHash }: TokenOf, lease: Lease, now: Date): Promise<Taken> {
  const { claim, leaseUntil } = lease
  const [row] = await tx.rows<{ approval: string | null; open: boolean; keys: readonly ProvedKey[] | null }>(
    takeApproved,
    [tx.tenantId, id, tokenHash, now, claim, leaseUntil],
  )
  if (row === undefined) return { outcome: 'no_token' }
  const { approval, open, keys } = row
  if (approval === null || approval === 'delivered') return { outcome: 'unknown' }
  if (approval === 'denied' || !open) return { outcome: 'denied' }
  return keys === null ? { outcome: 'pending' } : { outcome: 'taken', keys }
}

// The transaction id is spent. Claims are kept as those of a credential that was issued at once: until the token ends,
// which is now for one that expired while its holder waited.
const deliver = sql(
  'issuance.deliver_deferred',
  `update issuance set approval = 'delivered', deferred_keys = null, token_expires_at = :endsAt, expires_at = :endsAt,
     sweep_at = :endsAt, ${RELEASE}
   where tenant_id = :tenantId and id = :id and approval = 'approved' and ${isHeld(':claim')} returning id`,
)
const release = sql(
  'issuance.release_deferred',
  `update issuance set ${RELEASE} where tenant_id = $1 and id = $2 and ${isHeld('$3')} returning id`,
)

/**
 * Ends the transaction of an issued credential. Until `tokenEndsAt` its token gets the same credential for the same
 * keys at the credential endpoint.
 *
 * @returns false if another request has acquired it meanwhile
 */
export async function deliverDeferred(
  tx: TenantTx,
  { id, tokenEndsAt }: { readonly id: string; readonly tokenEndsAt: Date },
  { claim }: Lease,
  now: Date,
): Promise<boolean> {
  const endsAt = tokenEndsAt > now ? tokenEndsAt : now
  return (await tx.rows(deliver, { tenantId: tx.tenantId, id, claim, endsAt })).length === 1
}

/** Releases an approved credential that could not be signed. */
export async function releaseDeferred(tx: TenantTx, id: string, { claim }: Lease): Promise<void> {
  await tx.rows(release, [tx.tenantId, id, claim])
}
