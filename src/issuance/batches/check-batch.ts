import type { Caller, TenantId } from '../../caller.ts'
import type { BatchCheckView } from '../../contract/issuance/batches.ts'
import { sha256 } from '../../crypto/digest.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault, type Violation } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { issuanceCheckOf, unknownTemplate } from '../issuances/issuance-refusal.ts'
import type { WalletPort } from '../issuances/wallet-port.ts'
import { mailViolation } from '../mails/offer-mail.ts'
import { refusePreAuthorizedCode } from '../offers/offer-grants.ts'
import { findReplaceables, type ReplacementScope } from '../replacements/find-replaceables.ts'
import { planItems } from '../replacements/plan-items.ts'
import type { CredentialTemplate } from '../templates/template.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import { ownValidityOf } from '../templates/validity.ts'
import { type BatchInput, refuseUnsentMails } from './accept-batch.ts'
import { itemErrorOf, RECIPIENT_POINTER } from './batch.ts'
import { showError } from './batch-view.ts'

/** Items checked before other requests get their turn. */
const ITEMS_PER_TURN = 250
/** Recipients that one statement looks up. */
const RECIPIENTS_PER_LOOK_UP = 1000

/**
 * Checks the items of a batch as its job would, and creates nothing: also whether each recipient is a user to whom it
 * can be delivered now.
 *
 * @throws as `acceptBatch`
 */
export async function checkBatch(
  platform: Platform,
  deliveries: Pick<WalletPort, 'refusals'>,
  caller: Caller,
  ask: BatchInput,
): Promise<BatchCheckView> {
  refuseUnsentMails(platform, ask)
  await refusePreAuthorizedCode(platform, caller.tenantId)
  const tenant = await findTenantOf(platform, caller.tenantId)
  const template = await latestTemplate(platform, caller.tenantId, ask.credentialTemplateId)
  if (tenant === null || template.archivedAt !== null) throw unknownTemplate()
  const check = await issuanceCheckOf(platform, tenant, template)
  const scope = { templateId: template.id, batchId: null }
  const plans = await planItems(platform, caller.tenantId, scope, ask.items)
  const replaceable = await countReplaceable(platform, caller.tenantId, scope, ask.items)
  const undeliverable = await undeliverableItems(platform, deliveries, caller, template, ask)
  const isTable = ask.form === 'csv'
  const items: BatchCheckView['items'] = []
  const seen = new Map<string, number>()
  for (const [index, item] of ask.items.entries()) {
    const { attributes, mail, recipient, row, unusable = [] } = item
    if (index % ITEMS_PER_TURN === ITEMS_PER_TURN - 1) await new Promise(setImmediate)
    const ofMail = mailViolation({ mail, isDelivered: recipient !== undefined })
    const violations = [...unusable.map(({ violation }) => violation), ...(ofMail === null ? [] : [ofMail])]
    const plan = plans.find(index)
    const refused = plan instanceof Fault ? plan : null
    const fault = together(
      check(attributes, ownValidityOf(item)),
      violations,
      refused,
      undeliverable.get(index) ?? null,
    )
    const same = earlierOf(seen, JSON.stringify([attributes, recipient]), index)
    const others = replaceable(item)
    const place = {
      index,
      ...(row !== undefined && { row }),
      ...(same !== null && { duplicateOf: same }),
      ...(others > 0 && { replaceable: others }),
    }
    if (fault === null) {
      plans.take(index)
      items.push({ ...place, status: 'valid' })
    } else items.push({ ...place, status: 'invalid', error: showError(itemErrorOf(fault), isTable) })
  }
  const invalid = items.filter(({ status }) => status === 'invalid').length
  const duplicates = items.filter(({ duplicateOf }) => duplicateOf !== undefined).length
  return { total: items.length, valid: items.length - invalid, invalid, duplicates, items }
}

/**
 * Returns all that is wrong with an item, as one refusal: issuing it answers the first. A refusal that names no place
 * is answered alone.
 */
function together(
  ofAttributes: Fault | null,
  violations: readonly Violation[],
  ...others: readonly (Fault | null)[]
): Fault | null {
  const ofOthers = violations.length === 0 ? null : new Fault('request.invalid', { violations })
  const [first, ...more] = [ofAttributes, ofOthers, ...others].filter((one) => one !== null)
  if (first?.violations === undefined || more.length === 0) return first ?? null
  return new Fault(first.code, { violations: [first, ...more].flatMap((one) => one.violations ?? []) })
}

/** Returns how many credentials an item could replace that replaces none, by its reference: 2 at most. */
async function countReplaceable(
  platform: Platform,
  tenantId: TenantId,
  scope: ReplacementScope,
  items: BatchInput['items'],
): Promise<(item: BatchInput['items'][number]) => number> {
  const found = await findReplaceables(
    platform,
    tenantId,
    scope,
    items.flatMap(({ reference, replaces }) =>
      replaces === undefined && reference !== undefined ? { reference } : [],
    ),
  )
  return ({ reference, replaces }) =>
    replaces === undefined && reference !== undefined ? found.byReference(reference).length : 0
}

/** Returns why items cannot be delivered, by their index. */
async function undeliverableItems(
  platform: Platform,
  deliveries: Pick<WalletPort, 'refusals'>,
  { tenantId }: Caller,
  { definition: { format } }: CredentialTemplate,
  { items }: BatchInput,
): Promise<ReadonlyMap<number, Fault>> {
  const found = new Map<number, Fault>()
  const delivered = items.flatMap(({ recipient }, index) => (recipient === undefined ? [] : [{ recipient, index }]))
  for (let at = 0; at < delivered.length; at += RECIPIENTS_PER_LOOK_UP) {
    const some = delivered.slice(at, at + RECIPIENTS_PER_LOOK_UP)
    const recipients = some.map(({ recipient }) => recipient)
    const faults = await deliveries.refusals(platform, { tenantId }, { format, pointer: RECIPIENT_POINTER, recipients })
    for (const [place, fault] of faults.entries()) {
      const index = some[place]?.index
      if (fault !== null && index !== undefined) found.set(index, fault)
    }
  }
  return found
}

/** Returns the first item that says the same about the same person; null if this is the first. */
function earlierOf(seen: Map<string, number>, said: string, index: number): number | null {
  const digest = sha256(said).toString('base64')
  const first = seen.get(digest)
  if (first === undefined) seen.set(digest, index)
  return first ?? null
}
