import type pg from 'pg'

/** Like `LIST_FULL_ENTRIES`: how many entries of a status list are taken when the next one is opened. */
const LIST_ENTRIES = 78_643
const MONTHS = 24
/** Of 24 months. */
const DAYS = 730

/** One issuance that a server made, with its audit entries. */
type Sample = { readonly tenantId: string; readonly issuanceId: string }

/**
 * Copies an issuance with its status entry and its audit entries `count` times over the last 24 months, evenly, in the
 * tables and indexes that a server writes. The status lists are closed.
 *
 * @returns ids of the status lists, the oldest first
 */
export async function issueBefore(client: pg.Client, sample: Sample, count: number): Promise<string[]> {
  const { tenantId, issuanceId } = sample
  await client.query(`update credential_template_version set created_at = now() - interval '3 years'`)
  for (let month = 0; month <= MONTHS; month += 1)
    await client.query(
      `select add_audit_month((date_trunc('month', now() at time zone 'UTC') - make_interval(months => $1))::date)`,
      [month],
    )
  const { rows } = await client.query(
    `insert into status_list (tenant_id, id, created_at, full_at, bits, authority_id, kid)
     select tenant_id, gen_random_uuid(), now(), now(), bits, authority_id, kid from status_list, generate_series(1, $2)
     where tenant_id = $1 and full_at is null returning id`,
    [tenantId, Math.ceil(count / LIST_ENTRIES)],
  )
  const lists = rows.map(({ id }: { id: string }) => id)
  const each = Math.ceil(count / MONTHS)
  for (let first = 0; first < count; first += each)
    for (const statement of [copyIssuances, copyEntries, copyAudit])
      await client.query(statement, [tenantId, issuanceId, lists, count, first, Math.min(count, first + each) - 1])
  await client.query('analyze')
  return lists
}

// $4 issuances in all, of which $5 to $6.
const made = `
  select n, at, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid as new_id,
    ($3::uuid[])[1 + n / ${LIST_ENTRIES}] as list, n % ${LIST_ENTRIES} as entry
  from (select n, now() - interval '1 hour' - ($4::bigint - n) * interval '${DAYS} days' / $4::bigint as at
    from generate_series($5::bigint, $6::bigint) n) times`

const copyIssuances = `
  with made as (${made}), sample as (select * from issuance where tenant_id = $1 and id = $2)
  insert into issuance (tenant_id, id, status, template_id, template_version, reference, credential_status, revocable, expires_at, sweep_at,
    redeemed_at, token_hash, token_expires_at, holder_keys_hash, issued_at, status_list_id, status_indices, reservations, created_at, updated_at, format)
  select tenant_id, new_id, status, template_id, template_version, reference, credential_status, revocable, at + interval '1 day', at + interval '1 day',
    at, sha256(new_id::text::bytea), at + interval '10 minutes', sha256(n::text::bytea), at, list, array[entry::int], 1, at, at, format
  from sample, made`
const copyEntries = `
  with made as (${made}) insert into status_entry (tenant_id, status_list_id, status_index) select $1, list, entry::int from made where $2::uuid is not null`
const copyAudit = `
  with made as (${made}), sample as (select *, row_number() over (order by id) as step from audit_entry where tenant_id = $1 and subject_id = $2::text)
  insert into audit_entry (tenant_id, id, at, actor_kind, actor_id, acting_client, action, event_type, subject_kind, subject_id, result, ip, request_id,
    detail, era, xact)
  select tenant_id, (left(new_id::text, 14) || to_hex(step::int) || right(new_id::text, 21))::uuid, made.at, actor_kind, actor_id, acting_client, action, event_type,
    subject_kind, new_id::text, result, ip, request_id, detail || jsonb_build_object('issuanceId', new_id), era, '0'
  from sample, made where $3::uuid[] is not null`
