import type { ListRequest } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { PublishedEvent } from './event.ts'
import { type EventFilter, findEventPosition, listEventRows } from './event-store.ts'
import { eventTotal } from './event-total.ts'

/**
 * Returns one page of events in the order in which they were recorded, and one row more if there is a next page.
 * Ascending (`sort=createdAt`) the list ends where the order is settled, so that a client that continues from the last
 * event misses none; descending it starts with the newest event.
 *
 * @throws Fault `request.invalid` when the cursor is not the id of an event
 */
export async function listEvents(
  { store }: Pick<Platform, 'store'>,
  { tenantId }: Caller,
  { after, before, size, readDescending, total }: ListRequest,
  filter: EventFilter,
): Promise<PublishedEvent[]> {
  const cursor = after ?? before
  return store.inTenant(tenantId, async (tx) => {
    const from = cursor === null ? null : await findEventPosition(tx, cursor)
    if (cursor !== null && from === null) {
      const parameter = after === null ? 'page[before]' : 'page[after]'
      throw new Fault('request.invalid', { violations: [{ detail: 'There is no event with this id.', parameter }] })
    }
    if (total !== undefined) total.counted = await eventTotal(tx, filter)
    return listEventRows(tx, { from, descending: readDescending, limit: size + 1 }, filter)
  })
}
