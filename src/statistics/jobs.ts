import { countEvents } from '../events/counts/count-events.ts'
import { every, type Schedule } from '../jobs/schedule.ts'
import { origins } from './statistics.ts'

/**
 * Counts new audit events, so that statistics cost the same however many events there are. It counts events of two
 * rooms, so it is here.
 */
export const statisticsSchedules: readonly Schedule[] = [
  every(60, 'statistics.count', (platform, signal) => countEvents(platform, origins, signal)),
]
