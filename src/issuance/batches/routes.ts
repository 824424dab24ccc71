import { conditionalAnswer } from '../../api/held-answer.ts'
import { serveList } from '../../api/serve-list.ts'
import { BATCH_ITEMS_SHOWN, type BatchWithItemsView, batches } from '../../contract/issuance/batches.ts'
import { EVENT_STREAM } from '../../contract/media-types.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, rawAnswer, serve } from '../../http/routes/route.ts'
import type { WalletPort } from '../issuances/wallet-port.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import { acceptBatch } from './accept-batch.ts'
import { recordBatchLook } from './batch-looks.ts'
import { openBatchProgress } from './batch-progress.ts'
import { listBatches, watchedBatches } from './batch-store.ts'
import { showBatch } from './batch-view.ts'
import { checkBatch } from './check-batch.ts'
import { getBatch, getBatchWithItems } from './get-batch.ts'
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
export const batchRoutes = (deliveries: WalletPort): readonly Route[] => [acceptWith(deliveries), list, get, sample]
