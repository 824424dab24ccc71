import { sql, type TenantTx } from '../../store/store.ts'
import { countEndedEntries, type EndedEntries } from '../status/ended-list-store.ts'
import type { ValidityMoment } from '../templates/validity.ts'

/**
 * SQL, over a row named `issuance` of tenant $1: when its credential ends, as `validityOf` computes it; null: never, or
 * none was issued. For those that a server of an earlier version issued, which wrote no valid_until.
 */
const VALID_UNTIL = `(select case json_typeof(v.definition -> 'validUntil')
   when 'string' then (v.definition ->> 'validUntil')::timestamptz
   when 'object' then (date_trunc('hour', issuance.issued_at at time zone 'UTC') + make_interval(
     years => coalesce((v.definition #>> '{validUntil,future,years}')::int, 0),
     months => coalesce((v.definition #>> '{validUntil,future,months}')::int, 0),
     days => coalesce((v.definition #>> '{validUntil,future,days}')::int, 0))) at time zone 'UTC' end
   from credential_template_version v
   where v.tenant_id = $1 and v.template_id = issuance.template_id and v.version = issuance.template_version)`

const selectVersions = sql(
  'issuance.list_ending_versions',
  `select template_id as "templateId", created_at as "createdAt", definition -> 'validUntil' as "validUntil"
   from credential_template_version where tenant_id = $1 and definition -> 'validUntil' is not null order by template_id, version`,
)
const selectPart = sql(
  'issuance.list_ended_credentials',
  `with part as (
     select * from issuance where tenant_id = $1 and template_id = $2 and id >= $3 and id < $4 order by id limit $6
   )
   select issuance.id, coalesce(issued_at is not null and coalesce(valid_until, ${VALID_UNTIL}) < $5, false) as "isOver"
   from part as issuance order by id`,
)
const deleteSome = sql(
  'issuance.delete_ended_credentials',
  `delete from issuance where tenant_id = $1 and id = any($2::uuid[])
   returning status_list_id as "listId", coalesce(cardinality(status_indices), 0) as entries`,
)

/** A version of a template whose credentials end. */
export type EndingVersion = {
  readonly templateId: string
  readonly createdAt: Date
  readonly validUntil: ValidityMoment
}

/** Issuances of one template with ids from `from` on, below `below`. */
export type IssuanceRange = { readonly templateId: string; readonly from: string; readonly below: string }

/** Returns the versions of templates whose credentials end. */
export async function listEndingVersions(tx: TenantTx): Promise<EndingVersion[]> {
  return tx.rows<EndingVersion>(selectVersions, [tx.tenantId])
}

/**
 * Reads the first `limit` issuances of a range, at least two, deletes those whose credential ended before a time, and
 * counts their entries in their status lists.
 *
 * @returns the last id that was read; null: the range has no more
 */
export async function deleteEndedPart(
  tx: TenantTx,
  { templateId, from, below }: IssuanceRange,
  before: Date,
  limit: number,
): Promise<string | null> {
  const values = [tx.tenantId, templateId, from, below, before, limit]
  const seen = await tx.rows<{ id: string; isOver: boolean }>(selectPart, values)
  const over = seen.filter(({ isOver }) => isOver).map(({ id }) => id)
  const removed = over.length === 0 ? [] : await tx.rows<EndedEntries>(deleteSome, [tx.tenantId, over])
  await countEndedEntries(tx, removed)
  return seen.length < limit ? null : (seen.at(-1)?.id ?? null)
}
