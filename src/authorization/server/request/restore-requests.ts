import type { Restore } from '../../../recovery/restore.ts'
import { sql } from '../../../store/store.ts'

const deleteRequests = sql(
  'authorization.delete_all_requests',
  'delete from pushed_request where tenant_id = $1 returning id',
)

/** What the folder does after a restore: a request_uri is used once, and may have been. */
export const pushedRequestsRestore: Restore = {
  steps: [
    {
      name: 'pushed requests ended',
      run: async (tx) => (await tx.rows(deleteRequests, [tx.tenantId])).length,
    },
  ],
}
