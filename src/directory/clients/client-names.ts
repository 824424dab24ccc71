import type { NameSource } from '../../events/audit/names.ts'

/** Names of clients. */
export const clientNames: NameSource = {
  select: `select 'client' as kind, client_id as id, name from client where tenant_id = $1 and client_id = any($3::text[]) and name is not null`,
}
