import type { UserId } from '../../caller.ts'
import type { Standing } from '../../protocols/status-list/packed-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'
import type { SealedCredential } from './credential-store.ts'

/** A credential whose status check is due, with its first copy. */
export type DueCredential = Pick<SealedCredential, 'id' | 'format' | 'credentialIssuer' | 'copyId' | 'sealedRaw'> & {
  readonly userId: UserId
}

/** An issuer that was told of an acceptance has revoked what the credential replaces by then. */
const REPLACED_AFTER_MS = 60_000

const takeDueStatement = sql(
  'wallet.take_due_standings',
  `with due as (
     select credential_id from wallet_credential_standing where tenant_id = $1 and check_at <= $2
     order by check_at limit $4 for update skip locked
   ), moved as (
     update wallet_credential_standing s set check_at = $3 from due where s.tenant_id = $1 and s.credential_id = due.credential_id
   )
   select c.id, c.user_id as "userId", c.format, c.credential_issuer as "credentialIssuer", k.id as "copyId", k.sealed_raw as "sealedRaw"
   from due join wallet_credential c on c.tenant_id = $1 and c.id = due.credential_id
     join wallet_credential_copy k on k.tenant_id = $1 and k.credential_id = c.id and k.position = 0`,
)
const updateStatement = sql(
  'wallet.update_standing',
  `update wallet_credential_standing s set standing = $3, check_at = $4, checked_at = $5
   from (select standing from wallet_credential_standing where tenant_id = $1 and credential_id = $2 for update) old
   where s.tenant_id = $1 and s.credential_id = $2 returning old.standing`,
)
/** SQL: the credential `c` is older than `n`, and of the same user, type and issuer. */
const IS_OLDER = `n.tenant_id = c.tenant_id and n.user_id = c.user_id and n.vct = c.vct
       and n.credential_issuer = c.credential_issuer and n.id > c.id`
const hastenStatement = sql(
  'wallet.hasten_older_standings',
  `update wallet_credential_standing s set check_at = $4
   from wallet_credential c join wallet_credential n on ${IS_OLDER}
   where n.tenant_id = $1 and n.user_id = $2 and n.id = $3
     and s.tenant_id = c.tenant_id and s.credential_id = c.id and s.check_at > $4`,
)
const listOlderStatement = sql(
  'wallet.list_older_standings',
  `select c.id, c.user_id as "userId", c.credential_issuer as "credentialIssuer"
   from wallet_credential n join wallet_credential c on ${IS_OLDER}
     join wallet_credential_standing s on s.tenant_id = $1 and s.credential_id = c.id and s.check_at is not null
   where n.tenant_id = $1 and n.id = $2 order by c.id desc limit $3`,
)

/** Returns credentials whose status check is due, and schedules the next check at `againAt` in case this run fails. */
export async function takeDueStandings(
  tx: TenantTx,
  { now, againAt, countMax }: { readonly now: Date; readonly againAt: Date; readonly countMax: number },
): Promise<DueCredential[]> {
  return tx.rows<DueCredential>(takeDueStatement, [tx.tenantId, now, againAt, countMax])
}

/**
 * Lets the status of older credentials of the user, of the type and issuer of this one, be checked a minute from now,
 * unless they are due sooner or never.
 */
export async function hastenOlderStandings(tx: TenantTx, userId: UserId, newerId: string, now: Date): Promise<void> {
  await tx.rows(hastenStatement, [tx.tenantId, userId, newerId, new Date(now.getTime() + REPLACED_AFTER_MS)])
}

/**
 * Returns the older credentials of the user, type and issuer of this one whose status is still checked, the newest
 * first.
 */
export async function listOlderStandings(
  tx: TenantTx,
  newerId: string,
  countMax: number,
): Promise<Pick<DueCredential, 'id' | 'userId' | 'credentialIssuer'>[]> {
  return tx.rows(listOlderStatement, [tx.tenantId, newerId, countMax])
}

/** Updates the status of a credential. @returns the previous one; null if the credential is gone */
export async function updateStanding(
  tx: TenantTx,
  credentialId: string,
  standing: Standing,
  { checkAt, checkedAt }: { readonly checkAt: Date | null; readonly checkedAt: Date },
): Promise<Standing | null> {
  const [row] = await tx.rows<{ standing: Standing }>(updateStatement, [
    tx.tenantId,
    credentialId,
    standing,
    checkAt,
    checkedAt,
  ])
  return row?.standing ?? null
}

/** Lists tenants that have credentials whose status check is due. */
export const listTenantsWithDueStandings = tenantsWith(
  'wallet.tenants_with_due_standings',
  'from wallet_credential_standing where check_at <= $1',
)
