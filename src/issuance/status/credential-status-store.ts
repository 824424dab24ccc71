import { type Step, sql, type TenantTx } from '../../store/store.ts'
import { issuanceIdOf } from '../issuances/credential-id.ts'
import type { CredentialStatus, StatusReason } from '../issuances/issuance.ts'
import { isOfferOver } from '../issuances/issuance-store.ts'
import type { StatusTransition, UnchangedCredential } from './credential-status.ts'

// Locks in the order of ids, so that concurrent requests for the same credentials in another order cannot deadlock.
const changeSome = sql(
  'issuance.change_status',
  `update issuance i set standing = $4, status_reason = $7, updated_at = $5
   from (
     select i.id, asked.credential_id from unnest($2::uuid[], $6::uuid[]) as asked (issuance_id, credential_id)
       join issuance i on i.tenant_id = $1 and i.id = asked.issuance_id
     where i.issued_at is not null and i.revocable and i.standing = any($3::text[]) and ($4::text <> 'suspended' or i.format <> 'mdoc')
     order by i.id for update of i) as due, status_list list
   where i.tenant_id = $1 and i.id = due.id and i.standing = any($3::text[]) and list.tenant_id = $1 and list.id = i.status_list_id
   returning due.credential_id as "credentialId", case when $4 = 'valid' then i.credential_status else $4 end as status,
     i.status_list_id as "listId", i.status_indices as indices, list.bits, i.id as "issuanceId", i.template_id as "credentialTemplateId"`,
)
// The update changes the bits in place, so concurrent writers of one list lose nothing.
const markEntries = sql(
  'issuance.write_status_bits',
  `update status_list set version = version + 1,
     bitmap = case when bitmap is null then $3::text::varbit else (bitmap & ~$4::text::varbit) | $3::text::varbit end
   where tenant_id = $1 and id = $2`,
)
const selectUnchanged = sql(
  'issuance.find_status',
  `select id as "issuanceId", standing, issued_at is not null as "isIssued", revocable, format,
     case when standing <> 'valid' then standing when ${isOfferOver('$3')} then 'expired' else credential_status end as status
   from issuance where tenant_id = $1 and id = any($2::uuid[])`,
)

/** Entries of one status list. */
export type ListEntries = { readonly listId: string; readonly bits: 1 | 2; readonly indices: readonly number[] }

/** A credential whose status was changed, with the entries of its copies. */
type ChangedCredential = ListEntries & {
  readonly credentialId: string
  readonly status: CredentialStatus
  readonly issuanceId: string
  readonly credentialTemplateId: string
}

/**
 * Changes the status of the credentials that allow it, and returns the status list entries of their copies. One
 * statement: of concurrent callers one changes a credential, and the others find it changed. The caller records the
 * changes.
 */
export async function changeCredentialStatus(
  tx: TenantTx,
  ids: readonly string[],
  { from, to, reason }: StatusTransition & { readonly reason: StatusReason | null },
  now: Date,
): Promise<ChangedCredential[]> {
  const values = [tx.tenantId, ids.map(issuanceIdOf), from, to, now, ids, reason]
  return tx.rows<ChangedCredential>(changeSome, values)
}

/**
 * Writes entries of a status list in place.
 *
 * @param set The list with only the new statuses set. `cleared`: all bits of those entries. Both as bytes of the list.
 * @param then Steps that are sent with it.
 */
export async function writeStatusBits(
  tx: TenantTx,
  listId: string,
  { set, cleared }: { readonly set: Uint8Array; readonly cleared: Uint8Array },
  then: readonly Step[],
): Promise<void> {
  await tx.rows(markEntries, [tx.tenantId, listId, bitString(set), bitString(cleared)], then)
}

/** Returns a bit string literal of PostgreSQL. @see [PostgreSQL, 4.1.2.5](https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-BIT-STRINGS) */
function bitString(bytes: Uint8Array): string {
  return `x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** Returns the credentials with one of these ids, or whose issuance has one of them. */
export async function findUnchanged(tx: TenantTx, ids: readonly string[], now: Date): Promise<UnchangedCredential[]> {
  return tx.rows<UnchangedCredential>(selectUnchanged, [tx.tenantId, [...ids, ...ids.map(issuanceIdOf)], now])
}
