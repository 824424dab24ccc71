import { Type } from 'typebox'
import { conditionalAnswer } from '../../api/held-answer.ts'
import { IdParams } from '../../api/id-params.ts'
import { filtersOf, listAnswer, listPage, parseListQuery } from '../../api/list.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, rawAnswer, route } from '../../http/routes/route.ts'
import { acceptBatch } from './accept-batch.ts'
import { listBatchItems } from './batch-item-store.ts'
import { openBatchProgress } from './batch-progress.ts'
import { listBatches, watchedBatches } from './batch-store.ts'
import { showBatch, showBatchItem } from './batch-view.ts'
import { getBatch, getBatchWithItems } from './get-batch.ts'
import { parseBatch } from './parse-batch.ts'
import {
  BATCH_ITEMS_SHOWN,
  BatchBody,
  BatchItemListQuery,
  BatchItemView,
  BatchListQuery,
  BatchQuery,
  BatchView,
  BatchWithItemsView,
} from './schemas.ts'

const STREAM = 'text/event-stream'

const batches = { group: 'creds', tag: 'batches' } as const

const accept = route({
  ...batches,
  method: 'POST',
  path: '/credentials/issuance/batch',
  summary:
    'Accepts a batch of up to 1,000 issuances, as JSON or as a CSV table; a job issues the items, each with its own result.',
  scope: 'issuance:write',
  query: BatchQuery,
  body: BatchBody,
  textBodies: ['text/csv'],
  jsonValuesMax: 100_000,
  status: 202,
  reply: BatchView,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, query, body, href, operation }) => {
    const batch = await once(
      operation,
      (id) => getBatch(platform, caller, id),
      async (id) => acceptBatch(platform, caller, await parseBatch(platform, caller, query, body), id),
    )
    const self = `${href}/${batch.id}`
    return answer(showBatch(batch), { links: { self }, headers: { location: self } })
  },
})

const list = route({
  ...batches,
  method: 'GET',
  path: '/credentials/issuance/batch',
  summary: 'Lists the batches of the last 30 days.',
  scope: 'issuance:read',
  query: BatchListQuery,
  status: 200,
  reply: Type.Array(BatchView),
  faults: [],
  handle: ({ platform, caller, query, href }) =>
    listPage(
      { query, href },
      (ask) => platform.store.single(caller.tenantId, (tx) => listBatches(tx, ask, filtersOf(query))),
      showBatch,
    ),
})

const get = route({
  ...batches,
  method: 'GET',
  path: '/credentials/issuance/batch/{id}',
  summary:
    'Returns a batch with its first items; with `Prefer: wait`, once it has progressed; with `Accept: text/event-stream`, an event for each progress.',
  longPoll: true,
  scope: 'issuance:read',
  params: IdParams,
  status: 200,
  reply: BatchWithItemsView,
  faults: ['resource.unknown', 'request.rate_limited'],
  produces: [STREAM],
  handle: async ({ platform, caller, params: { id }, headers, href, responseType }) => {
    if (responseType === STREAM) {
      return rawAnswer(STREAM, await openBatchProgress(platform, caller, id, () => getBatch(platform, caller, id)))
    }
    const held = await conditionalAnswer(
      { platform, caller, headers },
      {
        watched: watchedBatches,
        id,
        read: () => getBatchWithItems(platform, caller, id),
        isFinal: ({ status }) => status === 'completed',
      },
    )
    return held.kind === 'raw' ? held : { ...held, links: linksOf(href, held.data) }
  },
})

const listItems = route({
  ...batches,
  method: 'GET',
  path: '/credentials/issuance/batch/{id}/items',
  summary: 'Lists the items of a batch with their results, by default in their order.',
  scope: 'issuance:read',
  params: IdParams,
  query: BatchItemListQuery,
  status: 200,
  reply: Type.Array(BatchItemView),
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params: { id }, query, href }) => {
    const batch = await getBatch(platform, caller, id)
    const ask = parseListQuery(query, 'index')
    const rows = await platform.store.single(caller.tenantId, (tx) =>
      listBatchItems(tx, id, ask, filtersOf(query), platform.clock.now()),
    )
    const page = listAnswer(rows, { href, query, list: ask }, (one) => showBatchItem(platform, caller, batch, one))
    return { ...page, data: await Promise.all(page.data) }
  },
})

function linksOf(href: string, { items, total }: BatchWithItemsView): Record<string, string> {
  const last = items.at(-1)
  if (last === undefined || items.length === total) return { self: href }
  return { self: href, next: `${href}/items?page%5Bsize%5D=${BATCH_ITEMS_SHOWN}&page%5Bafter%5D=${last.id}` }
}

/** Batches of issuances, in our API. */
export const batchRoutes: readonly Route[] = [accept, list, get, listItems]
