import { filtersOf, listAnswer, parseListQuery } from '../../api/list.ts'
import { history } from '../../contract/wallet/history.ts'
import type { Route } from '../../http/routes/route.ts'
import { serve } from '../../http/routes/route.ts'
import { describeHistory, listHistory } from './list-history.ts'

const historyRoute = serve(history.list, async ({ platform, caller, query, href, headers }) => {
  const list = parseListQuery(query)
  const { createdAfter, createdBefore, ...filter } = filtersOf(query)
  const times = {
    ...(createdAfter !== undefined && { createdAfter: new Date(createdAfter) }),
    ...(createdBefore !== undefined && { createdBefore: new Date(createdBefore) }),
  }
  const rows = await listHistory(platform, caller, { ...filter, ...times }, list)
  const shown = rows.slice(0, list.size)
  const credentials = await describeHistory(platform, caller, shown, headers['accept-language'])
  const listed = listAnswer(rows, { href, query, list }, (row) => row)
  return { ...listed, meta: { ...listed.meta, credentials } }
})

/** The history of a wallet. */
export const historyRoutes: readonly Route[] = [historyRoute]
