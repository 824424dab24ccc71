import { routeGroup } from '../api/route-group.ts'
import { answer, type Route } from '../http/routes/route.ts'
import { StatisticsMeta, StatisticsQuery, StatisticsReply } from './schemas.ts'
import { readStatistics } from './statistics.ts'

const statisticsRoute = routeGroup({ group: 'creds', tag: 'statistics', scope: 'audit:read' }).get('/stats', {
  summary:
    'Returns the number of issuance and presentation request events by template and month, up to the time in meta.asOf.',
  query: StatisticsQuery,
  reply: StatisticsReply,
  meta: StatisticsMeta,
  handle: async ({ platform, caller, query }) => {
    const { data, asOf } = await readStatistics(platform, caller, query)
    return answer(data, { meta: { asOf } })
  },
})

/** Statistics. */
export const statisticsRoutes: readonly Route[] = [statisticsRoute]
