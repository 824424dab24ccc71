import { RESTORE_ROWS_MAX, type Restore } from '../../recovery/restore.ts'
import { sql } from '../../store/store.ts'

const endRequests = sql(
  'verification.end_open_requests',
  `with due as (
     select id from presentation_request where tenant_id = $1 and status in ('requested', 'answering') and expires_at > $2
     order by id limit ${RESTORE_ROWS_MAX} for update
   )
   update presentation_request r set expires_at = $2 from due where r.tenant_id = $1 and r.id = due.id returning r.id`,
)

/** What the folder does after a restore: a request that was answered in the lost time would take a second answer. The sweep tells its end. */
export const requestsRestore: Restore = {
  steps: [
    {
      name: 'presentation requests ended',
      run: async (tx, { now }) => (await tx.rows(endRequests, [tx.tenantId, now])).length,
    },
  ],
}
