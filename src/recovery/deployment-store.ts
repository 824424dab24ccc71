import { type AcrossTx, sql } from '../store/store.ts'

/** How far the database has counted. `id`: of the deployment, the same in every backup of it. */
export type Beat = { readonly deployment: string; readonly beat: number }

const COLUMNS = 'id as deployment, beat::float8 as beat'

const findBeat = sql('recovery.find_beat', `select ${COLUMNS} from deployment`)
const selectRestoredAt = sql('recovery.find_restored_at', 'select restored_at as "restoredAt" from deployment')
const nextBeat = sql('recovery.next_beat', `update deployment set beat = beat + 1 returning ${COLUMNS}`)
const endRestore = sql(
  'recovery.end_restore',
  `update deployment set beat = greatest(beat, $1::bigint) + 1, restored_at = $2, restored_to = $3 returning ${COLUMNS}`,
)

/** Returns how far the database has counted. */
export async function findDeploymentBeat(tx: AcrossTx): Promise<Beat> {
  return only(await tx.rows<Beat>(findBeat))
}

/** Returns when the deployment was last recovered from an older state; null: never. */
export async function findRestoredAt(tx: AcrossTx): Promise<Date | null> {
  const [row] = await tx.rows<{ restoredAt: Date | null }>(selectRestoredAt)
  return row?.restoredAt ?? null
}

/** Counts one further. */
export async function countBeat(tx: AcrossTx): Promise<Beat> {
  return only(await tx.rows<Beat>(nextBeat))
}

/** Counts beyond everything that was counted before the restore, and records when it was recovered. */
export async function countRestored(tx: AcrossTx, lost: number, now: Date, since: Date): Promise<Beat> {
  return only(await tx.rows<Beat>(endRestore, [lost, now, since]))
}

function only([row]: readonly Beat[]): Beat {
  if (row === undefined) throw new Error('the table deployment is empty')
  return row
}
