import { every, type Schedule } from '../../jobs/schedule.ts'
import { forgetAddresses } from '../audit/forget-addresses.ts'
import { deleteEndedDeliveries, deleteEndedSecrets } from './delivery-store.ts'

const ENDED_KEPT_DAYS = 30

/** Sweeps of this room: old deliveries, former signing secrets, and IP addresses in old audit entries. */
export const eventSchedules: readonly Schedule[] = [
  every(3600, 'events.delete-ended', async ({ store, clock }) => {
    const now = clock.now()
    const before = new Date(now.getTime() - ENDED_KEPT_DAYS * 86_400_000)
    await store.across('deliveries of all tenants that ended long ago', (tx) => deleteEndedDeliveries(tx, before))
    await store.across('former signing secrets of all tenants', (tx) => deleteEndedSecrets(tx, now))
  }),
  every(3600, 'events.forget-addresses', forgetAddresses),
]
