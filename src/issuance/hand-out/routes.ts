import { filtersOf, listAnswer, parseListQuery } from '../../api/list.ts'
import { batches } from '../../contract/issuance/batches.ts'
import { CSV, PDF, XLSX } from '../../contract/media-types.ts'
import { type Route, rawAnswer, serve } from '../../http/routes/route.ts'
import { listBatchItems } from '../batches/batch-item-store.ts'
import { recordBatchLook } from '../batches/batch-looks.ts'
import { showBatchItem } from '../batches/batch-view.ts'
import { getBatch } from '../batches/get-batch.ts'
import { itemLetters, type LogoOf } from './item-letters.ts'
import { itemsCsv, itemsWorkbook } from './items-table.ts'

const CSV_TYPE = 'text/csv; charset=utf-8'

const listItems = (logoOf: LogoOf) =>
  serve(batches.listItems, async ({ platform, caller, params: { id }, query, href, responseType }) => {
    const batch = await getBatch(platform, caller, id)
    await recordBatchLook(platform, caller, batch)
    const asked = { ...filtersOf(query), language: query.language }
    if (responseType === CSV) {
      const { delimiter } = query
      return rawAnswer(CSV_TYPE, itemsCsv(platform, caller, batch, { ...asked, delimiter }))
    }
    if (responseType === PDF) return rawAnswer(PDF, await itemLetters(platform, logoOf, caller, batch, query.codes))
    if (responseType === XLSX) return rawAnswer(XLSX, itemsWorkbook(platform, caller, batch, asked))
    const ask = parseListQuery(query, 'index')
    const rows = await platform.store.single(caller.tenantId, (tx) =>
      listBatchItems(tx, id, ask, filtersOf(query), platform.clock.now()),
    )
    const page = listAnswer(rows, { href, query, list: ask }, (one) => showBatchItem(platform, caller, batch, one))
    return { ...page, data: await Promise.all(page.data) }
  })

/** The items of batches, as a list, a table or letters. @param logoOf Fetches the logo of an organisation. */
export const handOutRoutes = (logoOf: LogoOf): readonly Route[] => [listItems(logoOf)]
