import type { Static } from 'typebox'
import type { ParamsOf, QueryOf } from '../contract/api-operation.ts'
import type { ListOperation } from '../contract/operation-group.ts'
import type { ContextOf, Route, RouteContext } from '../http/routes/route.ts'
import type { BoundedRows } from '../store/paged-list.ts'
import { exportList, isExport } from './export-list.ts'
import { type Filters, filtersOf, type ListRequest, listPage, parseListQuery } from './list.ts'

/** One row of the answer of a list. */
type RowOf<O extends ListOperation> = Static<O['reply']['items']>

/** The work of a list. */
type ListWork<O extends ListOperation, Row> = {
  /** Reads a page of rows, and one row more if there is a next page. */
  readonly read: (
    context: ContextOf<O>,
    list: ListRequest,
    filters: Filters<QueryOf<O>>,
  ) => Promise<readonly Row[] | BoundedRows<Row>>
  readonly show: (row: Row, context: ContextOf<O>) => RowOf<O> | Promise<RowOf<O>>
}

/** Gives a list its work: pages in the envelope, and the same rows as CSV and JSON lines. */
export function serveList<O extends ListOperation, Row extends { readonly id: string }>(
  operation: O,
  { read, show }: ListWork<O, Row>,
): Route {
  const handle = (context: ContextOf<O>) => {
    // The server has validated the query against the schema of a list.
    const { query, href, responseType } = context as RouteContext<ParamsOf<O>, Readonly<Record<string, string>>>
    const page = (list: ListRequest) => read(context, list, filtersOf(query) as Filters<QueryOf<O>>)
    const showOne = (row: Row) => show(row, context)
    if (!isExport(responseType)) return listPage({ query, href }, page, showOne)
    return exportList(responseType, parseListQuery(query), { read: page, show: showOne, reply: operation.reply.items })
  }
  // The context that the server makes is that of the schemas.
  return { ...operation, handle } as unknown as Route
}
