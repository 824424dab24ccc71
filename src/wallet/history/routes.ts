import { Type } from 'typebox'
import { filtersOf, listPage, listQuery } from '../../api/list.ts'
import { type Route, route } from '../../http/routes/route.ts'
import { listHistory } from './list-history.ts'
import { HistoryEntry, historyFilters } from './schemas.ts'

const historyRoute = route({
  group: 'wallet',
  method: 'GET',
  path: '/v2/history',
  tag: 'history',
  summary:
    'Lists received credentials with their issuers, and presentations with their verifiers. Attribute names, never their values.',
  scope: 'wallet:read',
  query: listQuery({ filters: historyFilters }),
  status: 200,
  reply: Type.Array(HistoryEntry),
  faults: ['holder.missing'],
  handle: ({ platform, caller, query, href }) => {
    const { createdAfter, createdBefore, ...filter } = filtersOf(query)
    const times = {
      ...(createdAfter !== undefined && { createdAfter: new Date(createdAfter) }),
      ...(createdBefore !== undefined && { createdBefore: new Date(createdBefore) }),
    }
    return listPage(
      { query, href },
      (list) => listHistory(platform, caller, { ...filter, ...times }, list),
      (line) => line,
    )
  },
})

/** The history of a wallet. */
export const historyRoutes: readonly Route[] = [historyRoute]
