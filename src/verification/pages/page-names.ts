import type { NameSource } from '../../events/audit/names.ts'

/** Names of verification pages. */
export const pageNames: NameSource = {
  select: `select 'verification_page' as kind, id::text as id, name from verification_page where tenant_id = $1 and id = any($2::uuid[])`,
}
