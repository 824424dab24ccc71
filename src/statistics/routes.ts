import { answer, type Route, route } from '../http/routes/route.ts'
import { StatisticsQuery, StatisticsReply } from './schemas.ts'
import { readStatistics } from './statistics.ts'

const statisticsRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/stats',
  tag: 'statistics',
  summary:
    'Counts what happened to issuances and presentation requests, by template and month. meta.asOf tells until when.',
  scope: 'audit:read',
  query: StatisticsQuery,
  status: 200,
  reply: StatisticsReply,
  faults: [],
  handle: async ({ platform, caller, query }) => {
    const { data, asOf } = await readStatistics(platform, caller, query)
    return answer(data, { meta: { asOf } })
  },
})

/** Figures, in our API. */
export const statisticsRoutes: readonly Route[] = [statisticsRoute]
