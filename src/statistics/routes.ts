import { routeGroup } from '../api/route-group.ts'
import { answer, type Route } from '../http/routes/route.ts'
import { readOverview } from './overview.ts'
import { OverviewReply, SearchQuery, SearchReply, StatisticsMeta, StatisticsQuery, StatisticsReply } from './schemas.ts'
import { search } from './search.ts'
import { readStatistics } from './statistics.ts'

const statistics = routeGroup({ group: 'creds', tag: 'statistics', scope: null })

const statisticsRoute = statistics.get('/stats', {
  summary:
    'Returns the number of issuance and presentation request events by template and month, or day, up to the time in meta.asOf.',
  scope: 'audit:read',
  query: StatisticsQuery,
  reply: StatisticsReply,
  meta: StatisticsMeta,
  handle: async ({ platform, caller, query }) => {
    const { data, asOf } = await readStatistics(platform, caller, query)
    return answer(data, { meta: { asOf } })
  },
})

const overviewRoute = statistics.get('/overview', {
  summary:
    'Returns the figures of the organisation now, and how much needs attention, as far as the scopes of the caller allow.',
  reply: OverviewReply,
  meta: StatisticsMeta,
  handle: async ({ platform, caller }) => {
    const { data, asOf } = await readOverview(platform, caller)
    return answer(data, { meta: { asOf } })
  },
})

const searchRoute = statistics.get('/search', {
  operationId: 'searchTenant',
  summary:
    'Finds people, issuances and presentation requests by name, reference or id, as far as the scopes of the caller allow.',
  query: SearchQuery,
  reply: SearchReply,
  handle: async ({ platform, caller, query }) => answer(await search(platform, caller, query.q)),
})

/** Statistics, overview and search. */
export const statisticsRoutes: readonly Route[] = [statisticsRoute, overviewRoute, searchRoute]
