import { conditionalAnswer } from '../../api/held-answer.ts'
import { filtersOf, listAnswer, parseListQuery } from '../../api/list.ts'
import { serveList } from '../../api/serve-list.ts'
import type { Caller } from '../../caller.ts'
import { BATCH_ITEMS_SHOWN, type BatchView, type BatchWithItemsView, batches } from '../../contract/issuance/batches.ts'
import { CSV, EVENT_STREAM, XLSX } from '../../contract/media-types.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, rawAnswer, serve } from '../../http/routes/route.ts'
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
import { itemsCsv, itemsWorkbook } from './items-table.ts'
import { parseBatch } from './parse-batch.ts'
import { sampleTable } from './sample-table.ts'

const CSV_TYPE = 'text/csv; charset=utf-8'
const acceptWith = (deliveries: WalletPort) =>
  serve(batches.create, async ({ platform, caller, query, body, href, operation }) => {
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
  })

const list = serveList(batches.list, {
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listBatches(tx, list, filters)),
  show: showBatch,
})

const get = serve(batches.get, async ({ platform, caller, params: { id }, headers, href, responseType }) => {
  if (responseType === EVENT_STREAM) {
    return rawAnswer(EVENT_STREAM, await openBatchProgress(platform, caller, id, () => getBatch(platform, caller, id)))
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
})

const listItems = serve(batches.listItems, async ({ platform, caller, params: { id }, query, href, responseType }) => {
  const batch = await getBatch(platform, caller, id)
  await recordBatchLook(platform, caller, batch)
  const asked = { ...filtersOf(query), language: query.language }
  if (responseType === CSV) {
    const { delimiter } = query
    return rawAnswer(CSV_TYPE, itemsCsv(platform, caller, batch, { ...asked, delimiter }))
  }
  if (responseType === XLSX) return rawAnswer(XLSX, itemsWorkbook(platform, caller, batch, asked))
  const ask = parseListQuery(query, 'index')
  const rows = await platform.store.single(caller.tenantId, (tx) =>
    listBatchItems(tx, id, ask, filtersOf(query), platform.clock.now()),
  )
  const page = listAnswer(rows, { href, query, list: ask }, (one) => showBatchItem(platform, caller, batch, one))
  return { ...page, data: await Promise.all(page.data) }
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

const sample = serve(batches.getSample, async ({ platform, caller, params: { id }, query }) => {
  const { definition } = await latestTemplate(platform, caller.tenantId, id)
  return rawAnswer(CSV_TYPE, sampleTable(definition, query))
})

/** Batches of issuances, in our API. @param deliveries Delivers credentials to the wallets of the tenant's users. */
export const batchRoutes = (deliveries: WalletPort): readonly Route[] => [
  acceptWith(deliveries),
  list,
  get,
  listItems,
  sample,
]
