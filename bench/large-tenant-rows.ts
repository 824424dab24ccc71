import pg from 'pg'

/** One person has so many issuances of the large tenant. */
const ISSUANCES_OF_ONE = 10
/** Its credential templates. */
export const TEMPLATES = 200
/** Rows of each kind with which the calls of a page are counted, before there are very many. */
const FEW = 10

/** An id of a row whose creation the id tells, as those that the server makes. */
const idAt = (at: string, n: string) =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(${n}), 12, '0'))::uuid`
const templateAt = (n: string) => `('01870000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`

/** Rows from a number to another one, of each kind. */
type Span = {
  readonly from: number
  readonly issuances: number
  readonly people: number
  readonly templates: number
  /** When the first row was created; the more a row is numbered, the longer ago. */
  readonly newest: Date
}

/** Numbers of rows, those of the oldest first: their ids rise, so that indexes grow at their end. */
const numbers = (from: number, count: number) => `generate_series(${count - 1}, ${from}, -1) n`

/** Copies of the one template. */
function copiesOf({ from, templates }: Span): readonly string[] {
  const copies = numbers(from, templates)
  return [
    `insert into credential_template (tenant_id, id, code, name, version, created_at, updated_at)
     select tenant_id, ${templateAt('n')}, 'copy-' || n, 'Template ' || n, version, created_at, updated_at
     from credential_template, ${copies} where code = 'diploma'`,
    `insert into credential_template_version (tenant_id, template_id, version, definition, created_at)
     select v.tenant_id, ${templateAt('n')}, v.version, v.definition, v.created_at
     from credential_template_version v join credential_template t on t.id = v.template_id, ${copies} where t.code = 'diploma'`,
  ]
}

/**
 * People, issuances of the last four years in every state, and an entry of the audit trail for each. None of these
 * statements needs another one.
 */
function rowsOf({ from, issuances, people, templates, newest }: Span): readonly string[] {
  const at = `timestamptz '${newest.toISOString()}' - (n + 1) * interval '120 seconds'`
  const all = numbers(from, issuances)
  return [
    // The pieces of all names at once, in the order of their index, take a tenth of the time that the trigger needs,
    // which makes them row by row.
    `alter table user_account disable trigger user_search_pieces;
     insert into user_account (tenant_id, id, username, username_folded, first_name, first_name_folded, last_name, last_name_folded, enabled,
       created_at, updated_at)
     select t.id, ${idAt(at, 'n')}, 'person-' || n, 'person-' || n, 'Thandi', 'thandi', 'Molefe ' || n, 'molefe ' || n, n % 40 <> 7, ${at}, ${at}
     from tenant t, ${numbers(from, people)} where t.slug = 'acme';
     insert into user_search_piece select tenant_id, piece, id from user_account, unnest(search_pieces(user_account)) piece
       order by tenant_id, piece, id on conflict do nothing;
     alter table user_account enable trigger user_search_pieces`,
    // Of each hundred 90 are accepted, two expired, two canceled, three still offered, two revoked, one suspended.
    `insert into issuance (tenant_id, id, status, template_id, template_version, reference, credential_status, standing, revocable, sweep_at,
       expires_at, issued_at, valid_until, accepted_at, created_at, updated_at)
     select t.id, ${idAt(at, 'n')},
       case when n % 50 = 2 then 'expired' when n % 50 = 3 then 'canceled' when n % 100 in (5, 6, 7) then 'offered' else 'completed' end,
       ${templateAt(`n % ${templates}`)}, 1, 'student-' || n / 2,
       case when n % 50 = 2 then 'expired' when n % 50 = 3 or n % 100 in (5, 6, 7) then 'offered' else 'accepted' end,
       case when n % 50 = 8 then 'revoked' when n % 100 = 9 then 'suspended' else 'valid' end,
       true, ${at} + interval '10 years', ${at} + interval '10 years',
       case when n % 50 in (2, 3) or n % 100 in (5, 6, 7) then null else ${at} end,
       case when n % 50 in (2, 3) or n % 100 in (5, 6, 7) then null else ${at} + interval '1 year' end,
       case when n % 50 in (2, 3) or n % 100 in (5, 6, 7) then null else ${at} end, ${at}, ${at}
     from tenant t, ${all} where t.slug = 'acme'`,
    `insert into audit_entry (tenant_id, id, at, actor_kind, actor_id, action, event_type, subject_kind, subject_id, result, detail)
     select t.id, ${idAt(at, 'n')}, ${at}, 'client', 'acme-backend', 'openid4vc.issuance.offered', 'openid4vc.issuance.offered', 'issuance',
       ${idAt(at, 'n')}::text, case when n % 1000 = 1 then 'refused' else 'done' end,
       jsonb_build_object('credentialTemplateId', ${templateAt(`n % ${templates}`)})
     from tenant t, ${all} where t.slug = 'acme'`,
  ]
}

/**
 * The months of the audit trail that a server would have made in time, and figures of each template, of each day and
 * month.
 */
const figures = [
  `select add_audit_month((date_trunc('month', now() at time zone 'UTC') - n * interval '1 month')::date) from generate_series(1, 50) n`,
  ...['day', 'month'].map((unit) => {
    const [table, count] = unit === 'day' ? ['event_day_count', 400] : ['event_count', 48]
    return `insert into ${table} (tenant_id, template_id, ${unit}, figure, count)
      select t.id, ${templateAt('m')}, (date_trunc('${unit}', now() at time zone 'UTC') - n * interval '1 ${unit}')::date, figure, 10
      from tenant t, generate_series(0, ${TEMPLATES - 1}) m, generate_series(1, ${count}) n, unnest(array['issuance.offered', 'issuance.completed']) figure
      where t.slug = 'acme'`
  }),
]

/** Returns how many people a tenant with so many issuances has. */
export function peopleBeside(issuances: number): number {
  return Math.max(FEW, Math.floor(issuances / ISSUANCES_OF_ONE))
}

/** Adds ten rows of each kind to the tenant acme, which has the template `diploma`. @returns the id of an issuance */
export async function fillLittle(url: string): Promise<string> {
  await fill(url, { from: 0, issuances: FEW, people: FEW, templates: FEW, newest: new Date() })
  return issuanceIn(url, FEW)
}

/** Adds all the other rows. @returns the id of an issuance in the middle */
export async function fillMuch(url: string, issuances: number): Promise<string> {
  await run(url, figures)
  await fill(url, { from: FEW, issuances, people: peopleBeside(issuances), templates: TEMPLATES, newest: new Date() })
  await query(url, 'vacuum (analyze)')
  return issuanceIn(url, issuances)
}

async function fill(url: string, span: Span): Promise<void> {
  await run(url, copiesOf(span))
  await Promise.all(rowsOf(span).map((one) => query(url, one)))
}

async function issuanceIn(url: string, issuances: number): Promise<string> {
  const found = await query(url, `select id from issuance where reference = 'student-${issuances >> 2}' limit 1`)
  return String(found[0]?.id)
}

async function run(url: string, statements: readonly string[]): Promise<void> {
  for (const one of statements) await query(url, one)
}

async function query(url: string, statement: string): Promise<readonly { readonly id?: string }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
