import { answer, type Route, route } from '../http/routes/route.ts'
import { StatisticsQuery, StatisticsReply } from './schemas.ts'
import { readStatistics } from './statistics.ts'

const statisticsRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/stats',
  tag: 'statistics',
  summary:
    'Returns the number of issuance and presentation request events by template and month, up to the time in meta.asOf.',
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

/** Statistics. */
export const statisticsRoutes: readonly Route[] = [statisticsRoute]
