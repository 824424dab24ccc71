import type { Caller } from '../../caller.ts'
import { sha256 } from '../../crypto/digest.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { issuanceCheckOf, unknownTemplate } from '../issuances/issuance-refusal.ts'
import { mailViolation } from '../mails/offer-mail.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import { type BatchInput, refuseUnsentMails } from './accept-batch.ts'
import { itemErrorOf } from './batch.ts'
import { FIRST_ROW } from './batch-table.ts'
import { showError } from './batch-view.ts'
import type { BatchCheckView } from './schemas.ts'

/** Items checked before other requests get their turn. */
const ITEMS_PER_TURN = 250

/**
 * Checks the items of a batch as its job would, and creates nothing. NOT checked: whether a recipient exists, which may change until the item
 * is issued.
 *
 * @throws Fault `resource.unknown` for a template that is unknown or archived; `request.invalid` for mails that this server does not send
 */
export async function checkBatch(platform: Platform, caller: Caller, ask: BatchInput): Promise<BatchCheckView> {
  refuseUnsentMails(platform, ask)
  const tenant = await findTenantOf(platform, caller.tenantId)
  const template = await latestTemplate(platform, caller.tenantId, ask.credentialTemplateId)
  if (tenant === null || template.archivedAt !== null) throw unknownTemplate()
  const check = await issuanceCheckOf(platform, tenant, template)
  const isTable = ask.form === 'csv'
  const items: BatchCheckView['items'] = []
  const seen = new Map<string, number>()
  for (const [index, { attributes, mail, recipient }] of ask.items.entries()) {
    if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await new Promise(setImmediate)
    const violation = mailViolation({ mail, isDelivered: recipient !== undefined })
    const fault = check(attributes) ?? (violation && new Fault('request.invalid', { violations: [violation] }))
    const same = earlierOf(seen, JSON.stringify([attributes, recipient]), index)
    const place = { index, ...(isTable && { row: index + FIRST_ROW }), ...(same !== null && { duplicateOf: same }) }
    if (fault === null) items.push({ ...place, status: 'valid' })
    else items.push({ ...place, status: 'invalid', error: showError(itemErrorOf(fault), isTable) })
  }
  const invalid = items.filter(({ status }) => status === 'invalid').length
  const duplicates = items.filter(({ duplicateOf }) => duplicateOf !== undefined).length
  return { total: items.length, valid: items.length - invalid, invalid, duplicates, items }
}

/** Returns the first item that says the same about the same person; null if this is the first. */
function earlierOf(seen: Map<string, number>, said: string, index: number): number | null {
  const digest = sha256(said).toString('base64')
  const first = seen.get(digest)
  if (first === undefined) seen.set(digest, index)
  return first ?? null
}
