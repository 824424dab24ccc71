import { listQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import type { Route } from '../../http/routes/route.ts'
import { listHistory } from './list-history.ts'
import { HistoryEntry, historyFilters } from './schemas.ts'

const historyRoute = routeGroup({ group: 'wallet', tag: 'history', scope: 'wallet:read' }).list('/v2/history', {
  summary:
    'Lists received credentials with their issuers, and presentations with their verifiers. Attribute names, never their values.',
  query: listQuery({ filters: historyFilters }),
  reply: HistoryEntry,
  faults: ['holder.missing'],
  read: ({ platform, caller }, list, { createdAfter, createdBefore, ...filter }) => {
    const times = {
      ...(createdAfter !== undefined && { createdAfter: new Date(createdAfter) }),
      ...(createdBefore !== undefined && { createdBefore: new Date(createdBefore) }),
    }
    return listHistory(platform, caller, { ...filter, ...times }, list)
  },
  show: (line) => line,
})

/** The history of a wallet. */
export const historyRoutes: readonly Route[] = [historyRoute]
