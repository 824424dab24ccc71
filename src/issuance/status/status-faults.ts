import type { IntegrityCheck } from '../../recovery/integrity.ts'
import { sql } from '../../store/store.ts'

const ROWS_EACH = 2000
const FAULTS_MAX = 100

// Entry i of a list with b bits stands in byte i * b / 8, the lowest bits first; get_bit counts from the highest bit of
// each byte.
const bit = (offset: string) =>
  `coalesce(get_bit(l.bitmap, ((index * l.bits + ${offset}) / 8) * 8 + 7 - (index * l.bits + ${offset}) % 8), 0)`
const findFaults = sql(
  'issuance.find_status_faults',
  `with part as (
     select id, standing, status_list_id, status_indices from issuance
     where tenant_id = $1 and id > $2 and status_list_id is not null order by id limit ${ROWS_EACH}
   ), held as (
     select part.id, part.standing, l.id as list_id, index,
       ${bit('0')} + case when l.bits = 2 then 2 * ${bit('1')} else 0 end as value
     from part cross join unnest(part.status_indices) as index
       left join status_list l on l.tenant_id = $1 and l.id = part.status_list_id
   )
   select (select max(id::text) from part) as last, (select count(*)::int from held) as examined,
     array(select format('credential of issuance %s is %s, entry %s of list %s says %s', id, standing, index, list_id, value) from held
       where list_id is null or value <> case standing when 'revoked' then 1 when 'suspended' then 2 else 0 end limit ${FAULTS_MAX}) as faults`,
)

/** Holds each bitmap against the standing of its credentials. */
export const statusCheck: IntegrityCheck = {
  name: 'status lists',
  run: async ({ store }, tenantId) => {
    const faults: string[] = []
    let examined = 0
    let last: string | null = '00000000-0000-0000-0000-000000000000'
    while (last !== null && faults.length < FAULTS_MAX) {
      const after: string = last
      const [row] = await store.single(tenantId, (tx) =>
        tx.rows<{ last: string | null; examined: number; faults: string[] }>(findFaults, [tenantId, after]),
      )
      faults.push(...(row?.faults ?? []))
      examined += row?.examined ?? 0
      last = row?.last ?? null
    }
    return { examined, faults: faults.slice(0, FAULTS_MAX) }
  },
}
