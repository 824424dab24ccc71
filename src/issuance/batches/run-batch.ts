import { Type } from 'typebox'
import type { TenantId } from '../../caller.ts'
import { type JsonObject, readOwnJson } from '../../crypto/json.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import { enqueue, job } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import { newLease } from '../../store/lease.ts'
import { newId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import { type IssuanceCheck, issuanceCheckOf } from '../issuances/issuance-refusal.ts'
import { offerLinksOf } from '../issuances/issuance-view.ts'
import { sealLabel } from '../issuances/label.ts'
import type { PlannedReplacement } from '../issuances/replacement-port.ts'
import type { IssuanceDelivery, IssuedOffer, WalletPort } from '../issuances/wallet-port.ts'
import { sealKeptAttributes } from '../kept-attributes/kept-attributes.ts'
import { mailOffers } from '../mails/mail-offer.ts'
import { mailColumn, mailViolation } from '../mails/offer-mail.ts'
import { offerLifetime } from '../offers/offer-lifetime.ts'
import { makeTxCode, txCodeMac } from '../offers/tx-code.ts'
import { planItems } from '../replacements/plan-items.ts'
import { isReplacedMeanwhile, settleReplacements } from '../replacements/replace.ts'
import { insertReplacements, type NewReplacement } from '../replacements/replacement-store.ts'
import { type CredentialTemplate, txCodeOf } from '../templates/template.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import { itemErrorOf, RECIPIENT_POINTER } from './batch.ts'
import {
  claimBatch,
  completeItems,
  type ItemOutcome,
  type LeasedBatch,
  listPendingItems,
  type PendingItem,
} from './batch-run-store.ts'
import { openBatchRecipient } from './sealed-recipient.ts'

/** A lease lasts this long after the last step of its run. */
const LEASE_MS = 10_000
/** Items of a step, which is one statement: below a second. */
const ITEMS_PER_STEP = 250
/** A delivery takes more statements, and the step must end long before the lease. */
const DELIVERIES_PER_STEP = 50
/** After this many runs without progress the pending items fail. */
const TRIES_MAX = 8

const queued = {
  name: 'issuance.run-batch',
  payload: Type.Object({ batchId: Type.String() }, { additionalProperties: false }),
  attemptsMax: 5,
  timeoutSeconds: 120,
}

/** Issues the pending items of a batch. */
export const runBatchJob = (deliveries: WalletPort) =>
  job({
    ...queued,
    run: (platform, { batchId }, signal, { tenantId }) => runBatch(platform, deliveries, { tenantId, batchId }, signal),
  })

/** Enqueues the job of a batch, in the caller's transaction. */
export async function enqueueBatch(tx: TenantTx, batchId: string, now: Date): Promise<void> {
  // The queue stores the name only; the job registered by the roof runs.
  await enqueue(tx, job({ ...queued, run: async () => undefined }), { batchId }, { now })
}

/** One run of a batch. */
type Run = { readonly deliveries: WalletPort; readonly tenant: Tenant; readonly held: LeasedBatch }
type Issued = ItemOutcome['issued'][number]
/** An item with its claims, and what it replaces. */
type OpenItem = PendingItem & { readonly attributes: JsonObject; readonly plan: PlannedReplacement | null }
/** An item that passed all checks, with its delivery, and the credential that it replaces. */
type PreparedItem = {
  readonly issued: Issued
  readonly delivery: IssuanceDelivery | null
  readonly replacement: NewReplacement | null
}

/**
 * Issues the pending items of a batch, step by step, unless another run holds its lease. After a crash the next run
 * resumes behind the last step; a run whose lease was taken over cannot write.
 */
export async function runBatch(
  platform: Platform,
  deliveries: WalletPort,
  { tenantId, batchId }: { readonly tenantId: TenantId; readonly batchId: string },
  signal: AbortSignal,
): Promise<void> {
  const { store, clock } = platform
  const tenant = await findTenantOf(platform, tenantId)
  const now = clock.now()
  const lease = { id: batchId, ...newLease(now, LEASE_MS) }
  const held = tenant === null ? null : await store.single(tenantId, (tx) => claimBatch(tx, lease, now))
  if (held === null || tenant === null) return
  let isOver = false
  while (!isOver && !signal.aborted) isOver = await step(platform, { deliveries, tenant, held })
}

/** Completes the next items. @returns whether the run is over */
async function step(platform: Platform, run: Run): Promise<boolean> {
  const { store, clock } = platform
  const { tenant, held } = run
  const pending = await store.single(tenant.id, (tx) => listPendingItems(tx, held.id, ITEMS_PER_STEP))
  if (pending.length === 0) return true
  const items = pending.some((one) => one.sealedRecipient !== null) ? pending.slice(0, DELIVERIES_PER_STEP) : pending
  const template = await latestTemplate(platform, tenant.id, held.templateId)
  const { prepared, failed } = await prepareItems(platform, run, template, items)
  const now = clock.now()
  const issued = prepared.map((one) => one.issued)
  const { leaseUntil } = newLease(now, LEASE_MS)
  const deliveries = prepared.flatMap((one) => one.delivery ?? [])
  const mails = issued.flatMap((one) => one.mail ?? [])
  const replaced = prepared.flatMap((one) => one.replacement ?? [])
  const written = store.inTenant(tenant.id, async (tx) => {
    const found = await completeItems(tx, held, { issued, failed, template, leaseUntil }, now)
    if (found !== 'completed') return found
    for (const one of deliveries) await one.enqueue(tx)
    await mailOffers(tx, mails, { now, batchId: held.id })
    if (replaced.length > 0) await insertReplacements(tx, replaced)
    return found
  })
  const outcome = await orOvertaken(written)
  if (outcome === 'completed') await settleStep(platform, run, replaced)
  // Stale, overtaken: the template changed, or a credential was replaced meanwhile, so the next step checks again.
  return outcome === 'lost'
}

async function orOvertaken<T>(written: Promise<T>): Promise<T | 'overtaken'> {
  try {
    return await written
  } catch (error) {
    if (isReplacedMeanwhile(error)) return 'overtaken'
    throw error
  }
}

/** Withdraws and revokes what is to be at once. If the process dies before, the sweep does it. */
async function settleStep(platform: Platform, { tenant, held }: Run, made: readonly NewReplacement[]): Promise<void> {
  const ids = made.filter(({ revoke }) => revoke !== 'never').map(({ id }) => id)
  if (ids.length > 0) await settleReplacements(platform, tenant.id, held.askedBy, { ids })
}

async function prepareItems(platform: Platform, run: Run, template: CredentialTemplate, items: readonly PendingItem[]) {
  const { tenant, held } = run
  const prepared: PreparedItem[] = []
  const failed: ItemOutcome['failed'][number][] = []
  const check = held.tries > TRIES_MAX ? refuseAll : await issuanceCheckOf(platform, tenant, template)
  const plans = await planItems(platform, tenant.id, { templateId: template.id, batchId: held.id }, items)
  for (const [at, item] of items.entries()) {
    const opened = await openItem(platform, tenant.id, item, check, plans.find(at))
    const found = opened instanceof Fault ? opened : await prepareItem(platform, run, template, opened)
    if (found instanceof Fault) failed.push({ position: item.position, error: itemErrorOf(found) })
    else {
      plans.take(at)
      prepared.push(found)
    }
  }
  return { prepared, failed }
}

const refuseAll: IssuanceCheck = () => new Fault('server.unexpected')

/** Opens and checks an item. If it cannot be opened, only this item fails. */
async function openItem(
  { sealing, log }: Platform,
  tenantId: TenantId,
  item: PendingItem,
  check: IssuanceCheck,
  plan: PlannedReplacement | Fault | null,
): Promise<OpenItem | Fault> {
  const { id, sealedClaims, sealedMail } = item
  try {
    const place = { tenantId, table: 'issuance', column: 'sealed_claims', row: id }
    // Sealed by this server, from a JSON object.
    const attributes = readOwnJson(await sealing.open(place, sealedClaims)) as JsonObject
    const mail = sealedMail === null ? undefined : await mailColumn.open(sealing, tenantId, id, sealedMail)
    const violation = mailViolation({ mail, isDelivered: item.sealedRecipient !== null })
    const fault = check(attributes, item) ?? (violation && new Fault('request.invalid', { violations: [violation] }))
    return fault ?? (plan instanceof Fault ? plan : { ...item, attributes, plan })
  } catch (error) {
    if (error instanceof Fault) return error
    log.error({ err: error, issuanceId: item.id }, 'an item of a batch could not be opened')
    return new Fault('server.unexpected')
  }
}

/** @returns a fault if it cannot be delivered */
async function prepareItem(
  platform: Platform,
  run: Run,
  template: CredentialTemplate,
  { position, id, attributes, plan, sealedMail, sealedRecipient }: OpenItem,
): Promise<PreparedItem | Fault> {
  const { sealing, config, clock } = platform
  const { tenant, held } = run
  const format = txCodeOf(template.definition)
  const txCode = format === null ? null : await makeTxCode(sealing, tenant.id, id, format)
  const txMac = txCode === null ? null : await txCodeMac(sealing, tenant.id, id, txCode)
  const replaces = plan?.replaces ?? null
  const detail = {
    credentialId: credentialIdOf(id),
    credentialTemplateId: template.id,
    batchId: held.id,
    ...(replaces !== null && { replaces: credentialIdOf(replaces.id) }),
  }
  const entry = {
    action: 'openid4vc.issuance.offered',
    subject: { kind: 'issuance', id },
    by: held.askedBy,
    detail,
  } as const
  const { sealedLabel, wordMacs } = await sealLabel(sealing, tenant.id, id, template.definition, attributes)
  const sealedAttributes = await sealKeptAttributes(sealing, tenant, id, attributes)
  const mail = sealedMail === null ? null : { id, sealedMail }
  const lifetime = offerLifetime(config, tenant, held.expiresInSeconds, mail !== null)
  const expiresAt = new Date(clock.now().getTime() + lifetime * 1000)
  const oldReference = plan?.reference ?? null
  const issued: Issued = {
    id,
    position,
    txCodeMac: txMac,
    oldReference,
    delivery: null,
    sealedLabel,
    wordMacs,
    sealedAttributes,
    expiresAt,
    mail,
    entry,
  }
  const replacement = replaces && { id, oldId: replaces.id, revoke: replaces.revoke }
  if (sealedRecipient === null) return { issued, delivery: null, replacement }
  const deliveryId = newId()
  const recipient = await openBatchRecipient(sealing, tenant.id, id, sealedRecipient)
  const offer = { id: deliveryId, issuanceId: id, format: template.definition.format, txCode, recipient }
  const delivery = await planDelivery(platform, run, template, { ...offer, pointer: RECIPIENT_POINTER })
  if (delivery instanceof Fault) return delivery
  return { issued: { ...issued, delivery: { id: deliveryId, userId: delivery.userId } }, delivery, replacement }
}

async function planDelivery(
  platform: Platform,
  { deliveries, tenant, held }: Run,
  template: CredentialTemplate,
  offer: Omit<IssuedOffer, 'offerUri'>,
): Promise<IssuanceDelivery | Fault> {
  const owner = { tenantId: tenant.id, tenantSlug: tenant.slug }
  const { id: templateId, version: templateVersion } = template
  const of = { id: offer.issuanceId, templateId, templateVersion }
  const { offerUri } = await offerLinksOf(platform, owner, of)
  try {
    return await deliveries.plan(platform, { ...owner, by: held.askedBy }, { ...offer, offerUri })
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}
