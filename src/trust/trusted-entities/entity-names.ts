import type { NameSource } from '../../events/audit/names.ts'

/** Names of trusted entities. */
export const entityNames: NameSource = {
  select: `select 'trusted_entity' as kind, id::text as id, name from trusted_entity where tenant_id = $1 and id = any($2::uuid[])`,
}
