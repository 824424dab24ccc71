import { isRole, type Role, type UserId } from '../../caller.ts'
import { sql, type TenantTx } from '../../store/store.ts'

const find = sql(
  'directory.find_user_roles',
  `select array(select unnest(account.roles)
     union select unnest(user_group.roles) from user_group_member
       join user_group on user_group.tenant_id = user_group_member.tenant_id and user_group.id = user_group_member.group_id
       where user_group_member.tenant_id = $1 and user_group_member.user_id = $2) as roles
   from user_account account
   where account.tenant_id = $1 and account.id = $2 and account.enabled and account.deleted_at is null`,
)

/**
 * Returns the roles of an enabled user, those of the groups included; null if there is no such user. One statement,
 * never cached.
 */
export async function findRoles(tx: TenantTx, userId: UserId): Promise<Role[] | null> {
  const [row] = await tx.rows<{ roles: string[] }>(find, [tx.tenantId, userId])
  return row === undefined ? null : row.roles.filter(isRole)
}
