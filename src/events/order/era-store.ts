import type { TenantId } from '../../caller.ts'
import { type AcrossTx, sql } from '../../store/store.ts'
import { FOREIGN, hasEntry } from './settled.ts'

const TENANTS_PER_STEP = 1000

const addStates = sql('events.add_tenant_states', 'select add_tenant_event_states()')
const lockOrder = sql('events.lock_order', 'select lock_event_order()')
const OF_ELSEWHERE = `a.tenant_id = s.tenant_id and a.event_type is not null and ${FOREIGN}`
// One index look-up for each tenant, not one for each event.
const listForeign = sql(
  'events.list_foreign_eras',
  `select s.tenant_id as id from tenant_event_state s
   where ${hasEntry(OF_ELSEWHERE, 'a.era, a.xact, a.id')} limit $1`,
)
const beginIn = sql(
  'events.begin_eras',
  `update tenant_event_state set era = era + 1, since = $2
   where $1::uuid[] is null or tenant_id = any($1) returning tenant_id`,
)

/** Adds the row of each tenant that has none, without which the sweeps over the audit trail pass over it. */
export async function addTenantStates(tx: AcrossTx): Promise<void> {
  await tx.rows(addStates)
}

/** Waits for the transactions that record events, and delays others until this one ends. */
export async function lockEventOrder(tx: AcrossTx): Promise<void> {
  await tx.rows(lockOrder)
}

/** Lists tenants with events whose transaction ids their node has not assigned yet, up to 1,000. */
export async function listForeignEras(tx: AcrossTx): Promise<TenantId[]> {
  return (await tx.rows<{ id: TenantId }>(listForeign, [TENANTS_PER_STEP])).map(({ id }) => id)
}

/** Begins an era of the events of some tenants; null: of all. The order must be locked. Returns their number. */
export async function beginErasOf(tx: AcrossTx, tenants: readonly TenantId[] | null, now: Date): Promise<number> {
  return (await tx.rows(beginIn, [tenants, now])).length
}
