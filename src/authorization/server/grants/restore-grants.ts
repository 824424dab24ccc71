import { RESTORE_ROWS_MAX, type Restore } from '../../../recovery/restore.ts'
import { sql } from '../../../store/store.ts'

const deleteCodes = sql(
  'authorization.delete_open_codes',
  'delete from authorization_code where tenant_id = $1 and expires_at > $2 returning id',
)
const endFamilies = sql(
  'authorization.end_open_families',
  `with due as (
     select id from token_family where tenant_id = $1 and ended_at is null and expires_at > $2 order by id limit ${RESTORE_ROWS_MAX} for update
   )
   update token_family f set ended_at = $2 from due where f.tenant_id = $1 and f.id = due.id returning f.id`,
)

/**
 * What the folder does after a restore: a code or refresh token that was spent in the lost time would be good again.
 */
export const grantsRestore: Restore = {
  steps: [
    {
      name: 'authorization codes ended',
      run: async (tx, { now }) => (await tx.rows(deleteCodes, [tx.tenantId, now])).length,
    },
    {
      name: 'refresh tokens ended',
      run: async (tx, { now }) => (await tx.rows(endFamilies, [tx.tenantId, now])).length,
    },
  ],
}
