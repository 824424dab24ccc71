import { type Caller, holds } from '../../caller.ts'
import type { BatchItemView, BatchView } from '../../contract/issuance/batches.ts'
import type { Violation } from '../../fault.ts'
import { stepsOf } from '../../json-pointer.ts'
import type { Platform } from '../../platform.ts'
import { shownLinksOf, showReplaces } from '../issuances/issuance-view.ts'
import { showOfferMail } from '../mails/show-offer-mail.ts'
import { recoverTxCode } from '../offers/tx-code.ts'
import { templateVersion } from '../templates/template-cache.ts'
import type { Batch, BatchItem, BatchItemError } from './batch.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory'>

/** As long as the answer to a single issuance is repeated for its `Idempotency-Key`. */
const TX_CODES_SHOWN_MS = 86_400_000

/** The row of the first item of a CSV table. */
const FIRST_ROW = 2

/** Returns a batch as in our API. */
export function showBatch(batch: Batch): BatchView {
  return {
    id: batch.id,
    status: batch.endedAt === null ? 'processing' : 'completed',
    credentialTemplateId: batch.templateId,
    templateName: batch.templateName,
    total: batch.total,
    done: batch.done,
    failed: batch.failed,
    ...(batch.mails > 0 && { mails: mailsOf(batch) }),
    ...(batch.name !== null && { name: batch.name }),
    keepsColumns: batch.keepsColumns,
    createdBy: batch.createdBy,
    createdAt: batch.createdAt.toISOString(),
    updatedAt: batch.updatedAt.toISOString(),
  }
}

function mailsOf({ mails, mailsSent: sent, mailsFailed: failed }: Batch) {
  return { queued: mails - sent - failed, sent, failed }
}

/** Returns an item as in our API. Offer links and transaction codes are derived, not stored. */
export async function showBatchItem(
  needs: Needs,
  caller: Caller,
  batch: Batch,
  item: BatchItem,
): Promise<BatchItemView> {
  const issued = item.status === 'done' ? await issuedView(needs, caller, batch, item) : {}
  return {
    id: item.id,
    index: item.position,
    ...(batch.form === 'csv' && { row: item.row ?? item.position + FIRST_ROW }),
    status: item.status,
    ...(item.reference !== null && { reference: item.reference }),
    ...(item.ownValidFrom !== null && { validFrom: item.ownValidFrom.toISOString() }),
    ...(item.ownValidUntil !== null && { validUntil: item.ownValidUntil.toISOString() }),
    ...(item.replaces !== null && { replaces: showReplaces(item.replaces) }),
    ...issued,
    ...(item.offerMail !== null && { offerMail: showOfferMail(item.offerMail) }),
    ...(item.deliveryId !== null && { deliveryId: item.deliveryId }),
    ...(item.error !== null && { error: showError(item.error, batch.form === 'csv') }),
  }
}

async function issuedView(needs: Needs, caller: Caller, batch: Batch, { id, open }: BatchItem) {
  const of = { id, templateId: batch.templateId, templateVersion: open?.templateVersion ?? null }
  const links = await shownLinksOf(needs, caller, of)
  const isShown = needs.clock.now().getTime() < batch.createdAt.getTime() + TX_CODES_SHOWN_MS
  if (open === null || open.txCodeMac === null || !isShown || !holds(caller, 'issuance:write'))
    return { issuanceId: id, ...links }
  const { tenantId } = caller
  const { definition } = await templateVersion(needs, tenantId, batch.templateId, open.templateVersion)
  const txCode = await recoverTxCode(needs.sealing, tenantId, id, definition, open.txCodeMac)
  return { issuanceId: id, ...links, ...(txCode !== null && { txCode }) }
}

/** Returns the error of an item as in our API. */
export function showError({ code, detail, violations = [] }: BatchItemError, isTable: boolean) {
  const { pointer } = violations[0] ?? {}
  return {
    code,
    detail,
    ...(pointer !== undefined && { pointer }),
    ...(pointer !== undefined && isTable && { column: columnOf(pointer) }),
    ...brokenRule(violations[0]),
    ...(violations.length > 1 && {
      violations: violations.map((one) => {
        const { rule: _, limit: __, ...shown } = one
        return { ...shown, ...brokenRule(one) }
      }),
    }),
  }
}

function brokenRule({ rule, limit }: Partial<Violation> = {}) {
  if (rule === undefined) return {}
  return { meta: { rule, ...(typeof limit !== 'object' && limit !== undefined && { limit }) } }
}

/** `/attributes/address/locality` is the column `address.locality`, `/mail/address` the column `mail.address`. */
function columnOf(pointer: string): string {
  const steps = stepsOf(pointer)
  return (steps[0] === 'attributes' ? steps.slice(1) : steps).join('.')
}
