import type { TenantId } from '../../caller.ts'
import type { Config } from '../../config.ts'
import type { Platform } from '../../platform.ts'
import { sql } from '../../store/store.ts'
import { addTenantStates } from '../order/era-store.ts'
import { hasEntry } from '../order/settled.ts'

type Needs = Pick<Platform, 'store' | 'clock'> & { readonly config: Pick<Config, 'auditAddressDays'> }

const ENTRIES_PER_STEP = 1000
const TENANTS_PER_STEP = 500
const LEAST = '00000000-0000-0000-0000-000000000000'

const OLD = `a.tenant_id = t.tenant_id and a.id > coalesce(s.until, '${LEAST}') and a.id < $1`
// One index look-up for each tenant, along the primary key.
const listTenants = sql(
  'events.list_address_tenants',
  `select t.tenant_id as id from tenant_event_state t left join audit_address_sweep s on s.tenant_id = t.tenant_id
   where ${hasEntry(OLD, 'a.id')} limit $2`,
)
// The position advances in the statement that clears, so a repeated step starts where the last one ended.
const clearStep = sql(
  'events.clear_addresses',
  `with step as (
     select id from audit_entry
     where tenant_id = $1 and id < $2 and id > coalesce((select until from audit_address_sweep where tenant_id = $1), '${LEAST}')
     order by id limit $3
   ), cleared as (
     update audit_entry set ip = null where tenant_id = $1 and id in (select id from step) and ip is not null
   ), moved as (
     insert into audit_address_sweep as old (tenant_id, until) select $1, id from step order by id desc limit 1
     on conflict (tenant_id) do update set until = greatest(old.until, excluded.until) returning until
   )
   select id from step`,
)

/**
 * Clears the IP addresses in audit entries older than `auditAddressDays`, in steps. A second run finds nothing to do.
 */
export async function forgetAddresses({ store, clock, config }: Needs, signal: AbortSignal): Promise<void> {
  const end = firstIdAt(clock.now().getTime() - config.auditAddressDays * 86_400_000)
  const tenants = await store.across('tenants with old audit entries', async (tx) => {
    await addTenantStates(tx)
    return tx.rows<{ id: TenantId }>(listTenants, [end, TENANTS_PER_STEP])
  })
  for (const { id } of tenants) {
    let seen = ENTRIES_PER_STEP
    while (seen === ENTRIES_PER_STEP && !signal.aborted) {
      seen = (await store.single(id, (tx) => tx.rows(clearStep, [id, end, ENTRIES_PER_STEP]))).length
    }
  }
}

/** Returns the least id of entries of that time: ids are UUIDs of version 7 and start with their milliseconds. */
function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}
