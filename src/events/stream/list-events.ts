import type { ListRequest } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { PublishedEvent } from './event.ts'
import { type EventFilter, findEventPosition, listEventRows } from './event-store.ts'

/**
 * One page of events in the order in which they were recorded, one row more if there is another. Read upwards (`sort=createdAt`) it ends
 * where the order is settled, so that whoever goes on from the last one misses nothing; downwards it begins with the newest there is.
 *
 * @throws Fault `request.invalid` when there is no event where the page is to begin
 */
export async function listEvents(
  { store }: Pick<Platform, 'store'>,
  { tenantId }: Caller,
  { after, before, size, readDescending }: ListRequest,
  filter: EventFilter,
): Promise<PublishedEvent[]> {
  const cursor = after ?? before
  return store.inTenant(tenantId, async (tx) => {
    const from = cursor === null ? null : await findEventPosition(tx, cursor)
    if (cursor !== null && from === null) {
      const parameter = after === null ? 'page[before]' : 'page[after]'
      throw new Fault('request.invalid', { violations: [{ detail: 'There is no event with this id.', parameter }] })
    }
    return listEventRows(tx, { from, descending: readDescending, limit: size + 1 }, filter)
  })
}
