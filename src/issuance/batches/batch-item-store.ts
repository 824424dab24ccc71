import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import type { TenantTx } from '../../store/store.ts'
import { offerMailOf } from '../mails/offer-mail-store.ts'
import type { BatchItem, BatchItemStatus } from './batch.ts'

type Row = Omit<BatchItem, 'open'> & { readonly templateVersion: number | null; readonly txCodeMac: Buffer | null }

/** SQL: what the issuance of an item replaces; null where that is deleted. */
const REPLACES = `(select json_build_object('id', r.old_id, 'revoke', r.revoke) from replacement r
     where r.tenant_id = $1 and r.id = item.issuance_id)`
const page = pagedList({
  name: 'issuance.list_batch_items',
  select: `select item.issuance_id as id, item.position, item.status, item.reference, item.error, item.delivery_id as "deliveryId",
     item.row_number as "row", item.own_valid_from as "ownValidFrom", item.own_valid_until as "ownValidUntil",
     ${REPLACES} as "replaces",
     made.template_version as "templateVersion", made.tx_code_mac as "txCodeMac",
     case when item.status = 'done' then ${offerMailOf('item.issuance_id')} end as "offerMail"
   from issuance_batch_item item left join issuance made
     on made.tenant_id = $1 and made.id = item.issuance_id and made.status = 'offered' and coalesce(made.token_expires_at, made.expires_at) > $3
   where item.tenant_id = $1 and item.batch_id = $2`,
  parameters: 3,
  id: 'item.issuance_id',
  sorts: { index: 'item.position' },
  rows: 'issuance_batch_item item where item.tenant_id = $1 and item.batch_id = $2',
  filters: { status: (value) => `item.status = ${value}` },
})

/** Returns one page of the items of a batch, plus one row if there are more. No rows for an unknown batch. */
export async function listBatchItems(
  tx: TenantTx,
  batchId: string,
  ask: PageRequest,
  filter: { readonly status?: BatchItemStatus | undefined },
  now: Date,
): Promise<BatchItem[]> {
  const rows = await page<Row>(tx, ask, [tx.tenantId, batchId, now], filter)
  return rows.map(({ templateVersion, txCodeMac, ...item }) => {
    return { ...item, open: templateVersion === null ? null : { templateVersion, txCodeMac } }
  })
}
