import { RESTORE_ROWS_MAX, type Restore } from '../../recovery/restore.ts'
import { sql } from '../../store/store.ts'

const some = (table: string) =>
  `delete from ${table} where tenant_id = $1 and id in (select id from ${table} where tenant_id = $1 limit ${RESTORE_ROWS_MAX}) returning id`
const deleteSessions = sql('authorization.delete_all_sessions', some('sign_in_session'))
const deleteLinks = sql('authorization.delete_all_links', some('one_time_link'))

/**
 * What the folder does after a restore: sessions that were ended, and links that were used, would be good again.
 * Everybody signs in anew.
 */
export const signInRestore: Restore = {
  steps: [
    { name: 'sessions ended', run: async (tx) => (await tx.rows(deleteSessions, [tx.tenantId])).length },
    { name: 'one-time links ended', run: async (tx) => (await tx.rows(deleteLinks, [tx.tenantId])).length },
  ],
}
