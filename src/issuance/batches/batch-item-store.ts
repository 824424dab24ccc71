import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import type { TenantTx } from '../../store/store.ts'
import type { BatchItem, BatchItemError, BatchItemStatus } from './batch.ts'

type Row = {
  id: string
  position: number
  status: BatchItemStatus
  reference: string | null
  error: BatchItemError | null
  delivery_id: string | null
  template_version: number | null
  tx_code_mac: Buffer | null
}

const page = pagedList({
  name: 'issuance.batch.items',
  select: `select item.issuance_id as id, item.position, item.status, item.reference, item.error, item.delivery_id, made.template_version, made.tx_code_mac
   from issuance_batch_item item left join issuance made
     on made.tenant_id = $1 and made.id = item.issuance_id and made.status = 'offered' and coalesce(made.token_expires_at, made.expires_at) > $3
   where item.tenant_id = $1 and item.batch_id = $2`,
  parameters: 3,
  id: 'item.issuance_id',
  sorts: { index: 'item.position' },
  rows: 'issuance_batch_item item where item.tenant_id = $1 and item.batch_id = $2',
  filters: { status: (value) => `item.status = ${value}` },
})

/** Items in the order of the batch, and one row more if there are more. None for a batch that is not there. */
export async function listBatchItems(
  tx: TenantTx,
  batchId: string,
  ask: PageRequest,
  filter: { readonly status?: BatchItemStatus | undefined },
  now: Date,
): Promise<BatchItem[]> {
  const rows = await page<Row>(tx, ask, [tx.tenantId, batchId, now], filter)
  return rows.map(({ template_version: version, tx_code_mac: txCodeMac, delivery_id: deliveryId, ...item }) => {
    return { ...item, deliveryId, open: version === null ? null : { templateVersion: version, txCodeMac } }
  })
}
