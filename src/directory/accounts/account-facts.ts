import { isRole, type Role, type UserId } from '../../caller.ts'
import { sql, type TenantTx } from '../../store/store.ts'

/** What an account is at the moment when a caller is to act as its user. */
export type AccountFacts = {
  readonly isActive: boolean
  /** Whether the user has a password, a passkey, or an account at a provider. */
  readonly canSignIn: boolean
  /** Whether the wallet of the user holds something, or something is on its way to it. */
  readonly holds: boolean
  /** Roles of the user, those of groups included. */
  readonly roles: readonly Role[]
  /** In the form in which addresses are compared. */
  readonly emailFolded: string | null
  /** Whether the value was changed by a caller who may not act for the user, and the user has not confirmed it yet. */
  readonly emailIsNew: boolean
  readonly usernameIsNew: boolean
  readonly externalIdentifierIsNew: boolean
  /**
   * Whether the last link that was used was told to the caller who invited: the user need not be the person whom the
   * directory describes.
   */
  readonly openedByToldLink: boolean
}

const FACTS = `select account.enabled and account.deleted_at is null as "isActive",
    used.can_sign_in as "canSignIn", used.holds,
    account.email_folded as "emailFolded", account.email_is_new as "emailIsNew",
    account.username_is_new as "usernameIsNew", account.external_identifier_is_new as "externalIdentifierIsNew",
    account.opened_by_told_link as "openedByToldLink",
    array(select unnest(account.roles)
      union select unnest(user_group.roles) from user_group_member member
        join user_group on user_group.tenant_id = member.tenant_id and user_group.id = member.group_id
        where member.tenant_id = $1 and member.user_id = $2) as roles
  from user_account account join account_use used on used.tenant_id = account.tenant_id and used.id = account.id
  where account.tenant_id = $1 and account.id = $2`
const find = sql('directory.find_account_facts', FACTS)
const lock = sql(
  'directory.lock_account',
  'select id from user_account where tenant_id = $1 and id = $2 for no key update',
)
const anySigner = sql(
  'directory.find_signer',
  'select id from account_use where tenant_id = $1 and id = any($2::uuid[]) and can_sign_in limit 1',
)

/** Returns what an account is now; null if there is none. */
export async function findFacts(tx: TenantTx, userId: UserId): Promise<AccountFacts | null> {
  const [row] = await tx.rows<Omit<AccountFacts, 'roles'> & { roles: string[] }>(find, [tx.tenantId, userId])
  return row === undefined ? null : { ...row, roles: row.roles.filter(isRole) }
}

/** As {@link findFacts}; concurrent changes of the account wait until the transaction ends. */
export async function lockFacts(tx: TenantTx, userId: UserId): Promise<AccountFacts | null> {
  await tx.rows(lock, [tx.tenantId, userId])
  return findFacts(tx, userId)
}

/** Returns whether one of the users can sign in. */
export async function anyCanSignIn(tx: TenantTx, userIds: readonly UserId[]): Promise<boolean> {
  return (await tx.rows(anySigner, [tx.tenantId, userIds])).length === 1
}
