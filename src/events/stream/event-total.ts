import { countMatches } from '../../store/paged-list.ts'
import { plannedOnce, type Sql, type TenantTx } from '../../store/store.ts'
import { isFrequent, RARE } from '../audit/frequent-actions.ts'
import { type EventFilter, ORDER } from './event-store.ts'

// What an index finds decides which events are read; whether one of them matches is looked at one by one.
const MATCHES = `case when ($2::text[] is null or a.event_type = any($2)) and ($3::text is null or a.subject_id = $3)
     and ($4::timestamptz is null or a.at >= $4) and ($5::timestamptz is null or a.at < $5) and ($6::text is null or a.notified_user = $6) then 1 else 0 end`
const RARE_TYPE = `a.event_type = ($2::text[])[1] and ${RARE}`

function countStatement(name: string, ...read: readonly string[]): Sql {
  const where = ['a.tenant_id = $1 and a.event_type is not null', ...read].join(' and ')
  const select = `select ${MATCHES} as "isMatch" from audit_entry a where ${where}`
  return plannedOnce(`events.count_${name}`, countMatches(select, ORDER.down))
}

const counts = {
  all: countStatement('all'),
  rare: countStatement('rare', RARE_TYPE),
  subject: countStatement('of_subject', 'a.subject_id = $3'),
  user: countStatement('of_user', 'a.notified_user = $6'),
}

/**
 * Returns how many events match, as `ListTotal` says: null where too many would have to be read. Events whose order is
 * not settled are counted.
 */
export async function eventTotal(
  tx: TenantTx,
  { types, subject, createdAfter = null, createdBefore = null, userId = null }: EventFilter,
): Promise<number | null> {
  const [only, ...others] = types ?? []
  const isRare = only !== undefined && others.length === 0 && !isFrequent(only)
  const kind = userId !== null ? 'user' : subject !== null ? 'subject' : isRare ? 'rare' : 'all'
  const values = [tx.tenantId, types, subject, createdAfter, createdBefore, userId]
  const [row] = await tx.rows<{ counted: number | null }>(counts[kind], values)
  return row?.counted ?? null
}
