import type { UserId } from '../../caller.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'
import { newerCredential } from '../display/life.ts'

/** A credential of whose end its holder is to be told. */
type EndingCredential = {
  readonly id: string
  readonly userId: UserId
  readonly expiresAt: Date
}

const lockStatement = sql(
  'wallet.lock_due_reminders',
  `select c.id, c.user_id as "userId", c.expires_at as "expiresAt",
     c.status = 'accepted' and c.expires_at > $2 and ${newerCredential('$2')} is null
       and not exists (select from wallet_refill r where r.tenant_id = $1 and r.id = c.id)
       and not exists (select from wallet_credential_standing s
         where s.tenant_id = $1 and s.credential_id = c.id and s.standing = 'revoked') as "isTold"
   from wallet_credential c where c.tenant_id = $1 and c.remind_at <= $2 order by c.remind_at limit $3
   for update of c skip locked`,
)
const endStatement = sql(
  'wallet.end_reminders',
  'update wallet_credential set remind_at = null where tenant_id = $1 and id = any($2::uuid[])',
)

/**
 * Takes credentials whose reminder is due, each once: those that another transaction has taken are left out.
 *
 * @returns those that their holder accepted, that are not revoked or over, that no newer one has replaced, and that are
 *   not renewed by themselves; `count`: all that were taken
 */
export async function takeDueReminders(
  tx: TenantTx,
  now: Date,
  limit: number,
): Promise<{ readonly count: number; readonly told: readonly EndingCredential[] }> {
  const taken = await tx.rows<EndingCredential & { isTold: boolean }>(lockStatement, [tx.tenantId, now, limit])
  if (taken.length > 0) await tx.rows(endStatement, [tx.tenantId, taken.map(({ id }) => id)])
  return { count: taken.length, told: taken.filter(({ isTold }) => isTold) }
}

/** Lists tenants with credentials whose reminder is due. */
export const listTenantsWithDueReminders = tenantsWith(
  'wallet.tenants_with_due_reminders',
  'from wallet_credential where remind_at <= $1',
  'remind_at',
)
