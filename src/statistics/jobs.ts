import { countEvents } from '../events/counts/count-events.ts'
import { every, type Schedule } from '../jobs/schedule.ts'
import { templatesOf } from './statistics.ts'

/** Counts what happened, so that figures cost the same however much it was. Here, because it counts what two rooms do. */
export const statisticsSchedules: readonly Schedule[] = [
  every(60, 'statistics.count', (platform, signal) => countEvents(platform, templatesOf, signal)),
]
