import { statistics } from '../contract/events/statistics.ts'
import { answer, type Route, serve } from '../http/routes/route.ts'
import { readOverview } from './overview.ts'
import { search } from './search.ts'
import { readStatistics } from './statistics.ts'

const statisticsRoute = serve(statistics.get, async ({ platform, caller, query }) => {
  const { data, asOf } = await readStatistics(platform, caller, query)
  return answer(data, { meta: { asOf } })
})

const overviewRoute = serve(statistics.getOverview, async ({ platform, caller }) => {
  const { data, asOf } = await readOverview(platform, caller)
  return answer(data, { meta: { asOf } })
})

const searchRoute = serve(statistics.search, async ({ platform, caller, query }) =>
  answer(await search(platform, caller, query.q)),
)

/** Statistics, overview and search. */
export const statisticsRoutes: readonly Route[] = [statisticsRoute, overviewRoute, searchRoute]
