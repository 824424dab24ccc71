import type { Caller } from '../../caller.ts'
import { isLanguage } from '../../contract/languages.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { RecipientIdentifier } from '../../directory/users/find-recipient.ts'
import type { Violation } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { idAt } from '../../store/row-id.ts'
import { unknownTemplate } from '../issuances/issuance-refusal.ts'
import { type MailRecipient, mailColumn, requireMail } from '../mails/offer-mail.ts'
import { refusePreAuthorizedCode } from '../offers/offer-grants.ts'
import type { ReplacementAsk } from '../replacements/replace.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import { ownValidityOf } from '../templates/validity.ts'
import type { Batch, BatchForm } from './batch.ts'
import { insertBatch } from './batch-store.ts'
import { keptHeadingsColumn, keptRowColumn } from './kept-row.ts'
import { enqueueBatch } from './run-batch.ts'
import { sealBatchRecipient } from './sealed-recipient.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'memory' | 'config'>

/** Items that are sealed before other requests get their turn. */
const ITEMS_PER_TURN = 100

/** What is wrong with a cell that is no attribute. `column`: its column, from 1; null: it is empty. */
export type UnusableCell = { readonly column: number | null; readonly violation: Violation }

/** One item of a batch request. */
export type BatchItemInput = {
  /** Of a table: number of its row. */
  readonly row?: number
  /** Of a table: cells that are no attributes and cannot be used. An item that has some can only be checked. */
  readonly unusable?: readonly UnusableCell[]
  readonly attributes: JsonObject
  readonly reference?: string | undefined
  /** A date (its first moment, UTC) or a time. */
  readonly validFrom?: string | undefined
  readonly validUntil?: string | undefined
  readonly replaces?: ReplacementAsk | undefined
  readonly recipient?: RecipientIdentifier | undefined
  /** Validated with the item. */
  readonly mail?: MailRecipient | undefined
  /** Of a table: what the cells of the kept columns show. */
  readonly keptCells?: readonly string[]
}

/** A batch request; its shape is validated, the attributes of the items are not. */
export type BatchInput = {
  readonly credentialTemplateId: string
  readonly form: BatchForm
  readonly expiresInSeconds?: number | undefined
  readonly items: readonly BatchItemInput[]
  readonly name?: string | undefined
  /** Of a table: headings of the columns that are kept with the batch. */
  readonly keptHeadings?: readonly string[] | undefined
}

/**
 * Accepts a batch: inserts sealed items and enqueues the job that issues them, in one transaction. The job validates
 * the attributes, item by item.
 *
 * @param id Id of the batch; a repeated request has the same one. Fails if it exists.
 * @throws Fault `resource.unknown` for a template that is unknown or archived; `state.invalid` where the tenant accepts
 * no pre-authorized code, which the offers of a batch have; `request.invalid` for mails that this server does not send
 */
export async function acceptBatch(needs: Needs, caller: Caller, ask: BatchInput, id: string): Promise<Batch> {
  const { store, clock } = needs
  const { tenantId, actor, actingClientId, ip, requestId } = caller
  refuseUnsentMails(needs, ask)
  await refusePreAuthorizedCode(needs, tenantId)
  const template = await latestTemplate(needs, tenantId, ask.credentialTemplateId)
  if (template.archivedAt !== null) throw unknownTemplate()
  const now = clock.now()
  const items = await sealedItems(needs, caller, ask.items, now)
  const made = {
    id,
    templateId: template.id,
    form: ask.form,
    expiresInSeconds: ask.expiresInSeconds ?? null,
    items,
    name: ask.name ?? null,
    sealedHeadings:
      ask.keptHeadings === undefined
        ? null
        : await keptHeadingsColumn.seal(needs.sealing, tenantId, id, ask.keptHeadings),
    askedBy: { actor, actingClientId, ip, requestId },
  }
  const detail = { credentialTemplateId: template.id, items: items.length }
  const entry = {
    action: 'issuance_batch.created',
    subject: { kind: 'issuance_batch', id },
    by: caller,
    detail,
  } as const
  await store.inTenant(tenantId, async (tx) => {
    await insertBatch(tx, made, entry, now)
    await enqueueBatch(tx, id, now)
  })
  const counts = { total: items.length, done: 0, failed: 0, mails: 0, mailsSent: 0, mailsFailed: 0 }
  const times = { createdAt: now, updatedAt: now, endedAt: null }
  const from = { templateId: template.id, templateName: template.name, form: ask.form }
  const keepsColumns = ask.keptHeadings !== undefined
  return { id, ...from, name: made.name, keepsColumns, createdBy: actor, ...counts, ...times }
}

/** @throws Fault `request.invalid` for items with a mail where this server sends none */
export function refuseUnsentMails({ config }: Pick<Needs, 'config'>, { items }: Pick<BatchInput, 'items'>): void {
  const first = items.findIndex(({ mail }) => mail !== undefined)
  if (first >= 0) requireMail(config, `/items/${first}/mail`)
}

/** Seals the claims for the column of the issuance, so that the job moves them without opening them again. */
async function sealedItems({ sealing }: Needs, { tenantId }: Caller, items: readonly BatchItemInput[], now: Date) {
  const sealed = []
  for (const item of items) {
    const { attributes, replaces, recipient, mail, row = null, keptCells: cells } = item
    if (sealed.length % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await new Promise(setImmediate)
    const id = idAt(now)
    const place = { tenantId, table: 'issuance', column: 'sealed_claims', row: id }
    const sealedClaims = await sealing.seal(place, JSON.stringify(attributes))
    const sealedRecipient = recipient === undefined ? null : await sealBatchRecipient(sealing, tenantId, id, recipient)
    const sealedMail = mail === undefined ? null : await mailColumn.seal(sealing, tenantId, id, mail)
    const kept = {
      ...(cells !== undefined && { cells }),
      ...(isLanguage(mail?.language) && { language: mail.language }),
    }
    const isKept = Object.keys(kept).length > 0
    const sealedKept = isKept ? await keptRowColumn.seal(sealing, tenantId, id, kept) : null
    // What it replaces by an id may have a reference; the job finds it.
    const reference = item.reference ?? replaces?.reference ?? null
    const terms = { reference, replaces: replaces ?? null, ...ownValidityOf(item) }
    sealed.push({ id, row, ...terms, sealedClaims, sealedRecipient, sealedMail, sealedKept })
  }
  return sealed
}
