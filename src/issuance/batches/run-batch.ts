import { Type } from 'typebox'
import type { TenantId } from '../../caller.ts'
import { type JsonObject, readOwnJson } from '../../crypto/json.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import { enqueue, job } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import type { TenantTx } from '../../store/store.ts'
import { type IssuanceCheck, issuanceCheckOf } from '../issuances/issuance-refusal.ts'
import { offerLinksOf } from '../issuances/issuance-view.ts'
import type { IssuanceDelivery, IssuedOffer, WalletPort } from '../issuances/wallet-port.ts'
import { makeTxCode, txCodeMac } from '../offers/tx-code.ts'
import { type CredentialTemplate, txCodeOf } from '../templates/template.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import { itemErrorOf } from './batch.ts'
import {
  claimBatch,
  completeItems,
  type ItemOutcome,
  type LeasedBatch,
  listPendingItems,
  type PendingItem,
} from './batch-store.ts'
import { openBatchRecipient } from './sealed-recipient.ts'

/** How long after its last step a run is taken for dead. */
export const BATCH_LEASE_MS = 10_000
/** A step is one statement; this many rows keep it well below a second. */
const ITEMS_PER_STEP = 250
/** A delivery is some statements more, and the step must end long before the claim does. */
const DELIVERIES_PER_STEP = 50
/** Runs without any progress, after which a batch is given up. */
const TRIES_MAX = 8

const queued = {
  name: 'issuance.run-batch',
  payload: Type.Object({ batchId: Type.String() }, { additionalProperties: false }),
  attemptsMax: 5,
  timeoutSeconds: 120,
}

/** Issues what a batch still lacks. */
export const runBatchJob = (deliveries: WalletPort) =>
  job({
    ...queued,
    run: (platform, { batchId }, signal, { tenantId }) => runBatch(platform, deliveries, { tenantId, batchId }, signal),
  })

/** Puts the job of a batch into the queue, in the caller's transaction. */
export async function startBatch(tx: TenantTx, batchId: string, now: Date): Promise<void> {
  // In the queue is only its name: how it delivers, the roof says.
  await enqueue(tx, job({ ...queued, run: async () => undefined }), { batchId }, { now })
}

/** What the steps of one run have at hand. */
type Running = { readonly deliveries: WalletPort; readonly tenant: Tenant; readonly held: LeasedBatch }
type Issued = ItemOutcome['issued'][number]
/** An item that will be issued, and what is written with it. */
type Judged = { readonly issued: Issued; readonly delivery: IssuanceDelivery | null }

/**
 * Issues the items of a batch that wait, step by step, unless another run is at it. Who takes over from a run that died goes on behind its last
 * step; a run that was only taken for dead can write nothing any more.
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
  const claim = { id: batchId, claim: newId(), leaseUntil: leaseFrom(now) }
  const held = tenant === null ? null : await store.single(tenantId, (tx) => claimBatch(tx, claim, now))
  if (held === null || tenant === null) return
  let isOver = false
  while (!isOver && !signal.aborted) isOver = await step(platform, { deliveries, tenant, held })
}

/** @returns whether this run has nothing more to do */
async function step(platform: Platform, running: Running): Promise<boolean> {
  const { store, clock, config } = platform
  const { tenant, held } = running
  const waiting = await store.single(tenant.id, (tx) => listPendingItems(tx, held.id, ITEMS_PER_STEP))
  if (waiting.length === 0) return true
  const items = waiting.some((one) => one.sealedRecipient !== null) ? waiting.slice(0, DELIVERIES_PER_STEP) : waiting
  const template = await latestTemplate(platform, tenant.id, held.templateId)
  const { judged, failed } = await judge(platform, running, template, items)
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + (held.expiresInSeconds ?? config.offerTtlSeconds) * 1000)
  const issued = judged.map((one) => one.issued)
  const settlement = { issued, failed, template, expiresAt, leaseUntil: leaseFrom(now) }
  const deliveries = judged.flatMap((one) => one.delivery ?? [])
  const settle = (tx: TenantTx) => completeItems(tx, held, settlement, now)
  const outcome = await (deliveries.length === 0
    ? store.single(tenant.id, settle)
    : store.inTenant(tenant.id, async (tx) => {
        const found = await settle(tx)
        if (found === 'settled') for (const one of deliveries) await one.leave(tx)
        return found
      }))
  // Stale: the template was changed a moment ago, so the items are judged again.
  return outcome === 'lost'
}

async function judge(
  platform: Platform,
  running: Running,
  template: CredentialTemplate,
  items: readonly PendingItem[],
) {
  const { tenant, held } = running
  const judged: Judged[] = []
  const failed: ItemOutcome['failed'][number][] = []
  const refusal = held.tries > TRIES_MAX ? givenUp : await issuanceCheckOf(platform, tenant, template)
  for (const item of items) {
    const fault = await faultOf(platform, tenant.id, item, refusal)
    const found = fault ?? (await judgedOf(platform, running, template, item))
    if (found instanceof Fault) failed.push({ position: item.position, error: itemErrorOf(found) })
    else judged.push(found)
  }
  return { judged, failed }
}

const givenUp: IssuanceCheck = () => new Fault('server.unexpected')

/** What cannot even be read is a failure of that item, not of those around it. */
async function faultOf(
  { sealing, log }: Platform,
  tenantId: TenantId,
  item: PendingItem,
  refusal: IssuanceCheck,
): Promise<Fault | null> {
  try {
    const place = { tenantId, table: 'issuance', column: 'sealed_claims', row: item.id }
    const opened = await sealing.open(place, item.sealedClaims)
    // We sealed it ourselves, out of a JSON object.
    return refusal(readOwnJson(opened) as JsonObject)
  } catch (error) {
    if (error instanceof Fault) return error
    log.error({ err: error, issuanceId: item.id }, 'an item of a batch could not be read')
    return new Fault('server.unexpected')
  }
}

/** @returns why it cannot be delivered, if that is known by now */
async function judgedOf(
  platform: Platform,
  running: Running,
  template: CredentialTemplate,
  { position, id, sealedRecipient }: PendingItem,
): Promise<Judged | Fault> {
  const { sealing } = platform
  const { tenant, held } = running
  const asked = txCodeOf(template.definition)
  const txCode = asked === null ? null : await makeTxCode(sealing, tenant.id, id, asked)
  const txMac = txCode === null ? null : await txCodeMac(sealing, tenant.id, id, txCode)
  const credentialId = newId()
  const detail = { credentialId, credentialTemplateId: template.id, batchId: held.id }
  const entry = {
    action: 'openid4vc.issuance.offered',
    subject: { kind: 'issuance', id },
    by: held.askedBy,
    detail,
  } as const
  const issued: Issued = { position, credentialId, txCodeMac: txMac, deliveryId: null, entry }
  if (sealedRecipient === null) return { issued, delivery: null }
  const deliveryId = newId()
  const recipient = await openBatchRecipient(sealing, tenant.id, id, sealedRecipient)
  const { format } = template.definition
  const parcel = { id: deliveryId, issuanceId: id, format, txCode, recipient, pointer: '/recipient/value' }
  const delivery = await planned(platform, running, parcel)
  return delivery instanceof Fault ? delivery : { issued: { ...issued, deliveryId }, delivery }
}

async function planned(
  platform: Platform,
  { deliveries, tenant, held }: Running,
  parcel: Omit<IssuedOffer, 'offerUri'>,
): Promise<IssuanceDelivery | Fault> {
  const owner = { tenantId: tenant.id, tenantSlug: tenant.slug }
  const { offerUri } = await offerLinksOf(platform, owner, parcel.issuanceId)
  try {
    return await deliveries.plan(platform, { ...owner, by: held.askedBy }, { ...parcel, offerUri })
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + BATCH_LEASE_MS)
}
