import { sql, type TenantTx } from '../../store/store.ts'
import { CLAIMS_END } from '../offers/claims-end.ts'
import type { ValidityMoment } from '../templates/validity.ts'

const selectOrigins = sql(
  'issuance.list_origins',
  'select id, template_id as "templateId" from issuance where tenant_id = $1 and id = any($2::uuid[])',
)
const selectNames = sql(
  'issuance.list_template_names',
  'select id, name from credential_template where tenant_id = $1 and id = any($2::uuid[])',
)

// A credential has the id of its issuance with the last bit inverted.
const CREDENTIAL_ID = `encode(set_byte(uuid_send(wanted.id), 15, get_byte(uuid_send(wanted.id), 15) # 1), 'hex')::uuid`
/** SELECT of the names of templates, issuances, their credentials, and batches: see `NameSource`. */
export const NAMES = `select 'credential_template' as kind, id::text as id, name from credential_template where tenant_id = $1 and id = any($2::uuid[])
union all
select named.kind, named.id::text, t.name
from (
    select 'issuance' as kind, wanted.id, wanted.id as issuance_id from unnest($2::uuid[]) as wanted (id)
    union all select 'credential', wanted.id, ${CREDENTIAL_ID} from unnest($2::uuid[]) as wanted (id)
  ) named join issuance i on i.tenant_id = $1 and i.id = named.issuance_id
  join credential_template t on t.tenant_id = $1 and t.id = i.template_id
union all
select 'issuance_batch', id::text, name from issuance_batch where tenant_id = $1 and id = any($2::uuid[]) and name is not null`

const selectValidities = sql(
  'issuance.list_validities',
  `select i.id, coalesce(i.issued_at, i.updated_at) as "issuedAt", coalesce(to_json(i.own_valid_until), v.definition -> 'validUntil') as "validUntil"
   from issuance i join credential_template_version v
     on v.tenant_id = i.tenant_id and v.template_id = i.template_id and v.version = i.template_version
   where i.tenant_id = $1 and i.id = any($2::uuid[])`,
)

const selectNotable = sql(
  'issuance.count_notable',
  `select (select count(*)::int from issuance where tenant_id = $1 and notable = 'suspended') as suspended,
     (select count(*)::int from issuance where tenant_id = $1 and notable = 'deferred' and ${CLAIMS_END} > $2) as deferred`,
)

/** Returns the template of each issuance, by their ids. */
export async function listTemplatesOfIssuances(tx: TenantTx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; templateId: string }>(selectOrigins, [tx.tenantId, ids])
  return new Map(rows.map((row) => [row.id, row.templateId]))
}

/** Returns the names of templates, archived ones too, by their ids. */
export async function listCredentialTemplateNames(tx: TenantTx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.rows<{ id: string; name: string }>(selectNames, [tx.tenantId, ids])
  return new Map(rows.map((row) => [row.id, row.name]))
}

/** When a credential was issued, and when it or the version of its template says that it ends; null: never. */
type Validity = { readonly id: string; readonly issuedAt: Date; readonly validUntil: ValidityMoment | null }

/** Returns what decides when each credential ends, by the ids of the issuances. */
export async function listValidities(tx: TenantTx, ids: readonly string[]): Promise<Validity[]> {
  return tx.rows<Validity>(selectValidities, [tx.tenantId, ids])
}

/** Suspended credentials, and those that wait for approval. */
export type NotableCounts = { readonly suspended: number; readonly deferred: number }

/** Counts the suspended credentials of the tenant, and those that wait for approval. */
export async function countNotable(tx: TenantTx, now: Date): Promise<NotableCounts> {
  return (await tx.rows<NotableCounts>(selectNotable, [tx.tenantId, now]))[0] ?? { suspended: 0, deferred: 0 }
}
