import type { NameSource } from '../../events/audit/names.ts'

/** Names of groups. */
export const groupNames: NameSource = {
  select: `select 'user_group' as kind, id::text as id, display_name as name from user_group where tenant_id = $1 and id = any($2::uuid[])`,
}
