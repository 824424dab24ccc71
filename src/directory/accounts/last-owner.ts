import { Fault } from '../../fault.ts'
import { sql, type TenantTx } from '../../store/store.ts'

/** SQL: the active users who are owners, by a role of their own or of a group. */
const OWNERS = `select account.id from user_account account
  where account.tenant_id = $1 and account.enabled and account.deleted_at is null and ('owner' = any(account.roles)
    or account.id in (select member.user_id from user_group_member member
      join user_group on user_group.tenant_id = member.tenant_id and user_group.id = member.group_id
      where member.tenant_id = $1 and 'owner' = any(user_group.roles)))`
const list = sql('directory.list_owners_of_tenant', `${OWNERS} order by account.id limit 2`)
const lock = sql('directory.lock_owners', `${OWNERS} order by account.id for no key update of account`)

/**
 * Runs a change that may take an owner away, and refuses it if the tenant had owners and has none afterwards. Such
 * changes of one tenant wait for each other, so that two of them cannot take away one owner each of two.
 *
 * @throws Fault `owner.last`
 */
export async function keepingAnOwner<T>(tx: TenantTx, change: () => Promise<T>): Promise<T> {
  const owners = await tx.rows(lock, [tx.tenantId])
  const changed = await change()
  if (owners.length > 0 && (await tx.rows(list, [tx.tenantId])).length === 0) throw new Fault('owner.last')
  return changed
}

/**
 * Returns whether a user is the only owner of the tenant; concurrent changes of owners wait until the transaction ends.
 */
export async function isOnlyOwner(tx: TenantTx, userId: string): Promise<boolean> {
  await tx.rows(lock, [tx.tenantId])
  // Read anew: the statement that waited for another change does not see what that change did to groups.
  const owners = await tx.rows<{ id: string }>(list, [tx.tenantId])
  return owners.length === 1 && owners[0]?.id === userId
}
