import { every, type Schedule } from '../../jobs/schedule.ts'
import { inPieces } from '../../store/in-pieces.ts'
import { keepMonths } from '../archive/archive-months.ts'
import { forgetAddresses } from '../audit/forget-addresses.ts'
import { deleteEndedDeliveries, deleteEndedSecrets } from './delivery-store.ts'

/**
 * Sweeps of this room: old deliveries, former signing secrets, IP addresses in old audit entries, and months of the
 * audit trail.
 */
export const eventSchedules: readonly Schedule[] = [
  every(3600, 'events.delete-ended', async (platform, signal) => {
    const now = platform.clock.now()
    const before = new Date(now.getTime() - platform.config.deliveryRetentionDays * 86_400_000)
    const deliveries = 'deliveries of all tenants that ended long ago'
    await inPieces(platform, deliveries, signal, (tx, limit) => deleteEndedDeliveries(tx, before, limit))
    const secrets = 'former signing secrets of all tenants'
    await inPieces(platform, secrets, signal, (tx, limit) => deleteEndedSecrets(tx, now, limit))
  }),
  every(3600, 'events.forget-addresses', forgetAddresses),
  every(86_400, 'events.keep-months', keepMonths, { timeoutSeconds: 6 * 3600 }),
]
