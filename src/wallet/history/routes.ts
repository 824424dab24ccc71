import { Type } from 'typebox'
import { filtersOf, listAnswer, listQuery, PageMeta, parseListQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import type { Route } from '../../http/routes/route.ts'
import { CredentialDisplay } from '../display/schemas.ts'
import { describeHistory, listHistory } from './list-history.ts'
import { HistoryEntry, historyFilters } from './schemas.ts'

const historyRoute = routeGroup({ group: 'wallet', tag: 'history', scope: 'wallet:read' }).get('/v2/history', {
  summary:
    'Lists received credentials with their issuers, and presentations with their verifiers. Attribute names, never their values.',
  query: listQuery({ filters: historyFilters }),
  reply: Type.Array(HistoryEntry),
  meta: Type.Object({
    ...PageMeta.properties,
    credentials: Type.Record(Type.String(), CredentialDisplay, {
      description: 'How the credentials of the page look, by id; of removed ones the names that they had.',
    }),
  }),
  faults: ['holder.missing'],
  handle: async ({ platform, caller, query, href, headers }) => {
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
  },
})

/** The history of a wallet. */
export const historyRoutes: readonly Route[] = [historyRoute]
