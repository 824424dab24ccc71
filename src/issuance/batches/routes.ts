import { Type } from 'typebox'
import { conditionalAnswer } from '../../api/held-answer.ts'
import { IdParams } from '../../api/id-params.ts'
import { filtersOf, listAnswer, PageMeta, parseListQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import type { Caller } from '../../caller.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, rawAnswer } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import type { WalletPort } from '../issuances/wallet-port.ts'
import { recordLook } from '../offers/offer-looks.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import { acceptBatch } from './accept-batch.ts'
import { listBatchItems } from './batch-item-store.ts'
import { openBatchProgress } from './batch-progress.ts'
import { listBatches, watchedBatches } from './batch-store.ts'
import { showBatch, showBatchItem } from './batch-view.ts'
import { checkBatch } from './check-batch.ts'
import { getBatch, getBatchWithItems } from './get-batch.ts'
import { ITEM_COLUMNS, itemsTable } from './items-table.ts'
import { parseBatch } from './parse-batch.ts'
import { sampleTable } from './sample-table.ts'
import {
  BATCH_BYTES_MAX,
  BATCH_ITEMS_SHOWN,
  BatchBody,
  BatchCheckView,
  BatchItemListQuery,
  BatchItemView,
  BatchListQuery,
  BatchQuery,
  BatchView,
  BatchWithItemsView,
  SampleQuery,
} from './schemas.ts'

const STREAM = 'text/event-stream'
const CSV = 'text/csv'
/** A table to issue from. */
const EXAMPLE = 'reference,family_name,given_name\r\n2026-17,Molefe,Thandi\r\n'
const EXAMPLE_LINKS =
  'https://example.org/offer/1,openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fexample.org%2F1'
const ITEMS_EXAMPLE = [
  ITEM_COLUMNS.join(','),
  `2,2026-17,done,01890000-0000-7000-8000-000000000000,${EXAMPLE_LINKS},,,,,`,
  '',
].join('\r\n')
const CSV_TYPE = 'text/csv; charset=utf-8'

const batches = routeGroup({
  ...{ group: 'creds', tag: 'batches', path: '/credentials/issuance/batch', params: IdParams, reply: BatchView },
  scope: { read: 'issuance:read', write: 'issuance:write' },
})

const acceptWith = (deliveries: WalletPort) =>
  batches.post('', {
    operationId: 'createIssuanceBatch',
    summary:
      'Accepts a batch of up to 1,000 issuances, as JSON or as a CSV table; a job issues the items, each with its own result. With `check=true` only checks them.',
    query: BatchQuery,
    body: BatchBody,
    textBodies: [CSV],
    textExamples: { [CSV]: EXAMPLE },
    bodyBytesMax: BATCH_BYTES_MAX,
    jsonValuesMax: 100_000,
    reply: Type.Union([BatchView, BatchCheckView]),
    status: 202,
    otherStatuses: [200],
    replyHeaders: ['Location'],
    faults: ['resource.unknown', 'state.invalid', 'request.rate_limited'],
    handle: async ({ platform, caller, query, body, href, operation }) => {
      if (query.check === 'true') {
        const found = await checkBatch(platform, deliveries, caller, await parseBatch(platform, caller, query, body))
        return answer(found, { status: 200 })
      }
      const batch = await once(
        operation,
        (id) => getBatch(platform, caller, id),
        async (id) => acceptBatch(platform, caller, await parseBatch(platform, caller, query, body), id),
      )
      const self = `${href}/${batch.id}`
      return answer(showBatch(batch), { links: { self }, headers: { location: self } })
    },
  })

const list = batches.list('', {
  summary: 'Lists the batches of the last 30 days.',
  query: BatchListQuery,
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listBatches(tx, list, filters)),
  show: showBatch,
})

const get = batches.get('/{id}', {
  operationId: 'getIssuanceBatch',
  summary:
    'Returns a batch with its first items; with `Prefer: wait`, once it has progressed; with `Accept: text/event-stream`, an event for each progress.',
  longPoll: true,
  reply: BatchWithItemsView,
  streams: BatchView,
  faults: ['request.rate_limited'],
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
        read: async () => {
          const batch = await getBatchWithItems(platform, caller, id)
          await recordBatchLook(platform, caller, batch)
          return batch
        },
        isFinal: ({ status }) => status === 'completed',
      },
    )
    return held.kind === 'raw' ? held : { ...held, links: linksOf(href, held.data) }
  },
})

const listItems = batches.get('/{id}/items', {
  summary:
    'Lists the items of a batch with their results, by default in their order; with `Accept: text/csv`, all of them as a table.',
  query: BatchItemListQuery,
  reply: Type.Array(BatchItemView),
  meta: PageMeta,
  produces: [CSV],
  textExamples: { [CSV]: ITEMS_EXAMPLE },
  handle: async ({ platform, caller, params: { id }, query, href, responseType }) => {
    const batch = await getBatch(platform, caller, id)
    await recordBatchLook(platform, caller, batch)
    if (responseType === CSV) {
      const { status } = filtersOf(query)
      return rawAnswer(CSV_TYPE, await itemsTable(platform, caller, batch, { status, delimiter: query.delimiter }))
    }
    const ask = parseListQuery(query, 'index')
    const rows = await platform.store.single(caller.tenantId, (tx) =>
      listBatchItems(tx, id, ask, filtersOf(query), platform.clock.now()),
    )
    const page = listAnswer(rows, { href, query, list: ask }, (one) => showBatchItem(platform, caller, batch, one))
    return { ...page, data: await Promise.all(page.data) }
  },
})

/** Records that a caller other than the creator of a batch was shown its offer links, if it has any. */
async function recordBatchLook(
  platform: Platform,
  caller: Caller,
  { id, done, createdBy }: Pick<BatchView, 'id' | 'done' | 'createdBy'>,
): Promise<void> {
  const isCreator = createdBy?.kind === caller.actor.kind && createdBy.id === caller.actor.id
  if (done > 0 && !isCreator) await recordLook(platform, caller, { kind: 'issuance_batch', ids: [id] })
}

function linksOf(href: string, { items, total }: BatchWithItemsView): Record<string, string> {
  const last = items.at(-1)
  if (last === undefined || items.length === total) return { self: href }
  return { self: href, next: `${href}/items?page%5Bsize%5D=${BATCH_ITEMS_SHOWN}&page%5Bafter%5D=${last.id}` }
}

const sample = routeGroup({
  ...{ group: 'creds', tag: 'batches', path: '/templates/credentials', params: IdParams, scope: 'issuance:read' },
}).get('/{id}/sample', {
  operationId: 'getSampleTable',
  summary: 'Returns a table with the columns of a template and a row of examples, to be filled in.',
  query: SampleQuery,
  status: 200,
  produces: [CSV],
  textExamples: { [CSV]: EXAMPLE },
  handle: async ({ platform, caller, params: { id }, query }) => {
    const { definition } = await latestTemplate(platform, caller.tenantId, id)
    return rawAnswer(CSV_TYPE, sampleTable(definition, query))
  },
})

/** Batches of issuances, in our API. @param deliveries Delivers credentials to the wallets of the tenant's users. */
export const batchRoutes = (deliveries: WalletPort): readonly Route[] => [
  acceptWith(deliveries),
  list,
  get,
  listItems,
  sample,
]
