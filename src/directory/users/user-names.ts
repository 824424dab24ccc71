import type { NameSource } from '../../events/audit/names.ts'

/** Usernames, which may be e-mail addresses. */
export const userNames: NameSource = {
  scope: 'users:read',
  select: `select 'user' as kind, id::text as id, username as name from user_account
    where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null`,
}
