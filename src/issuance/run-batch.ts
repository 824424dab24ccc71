import { Type } from 'typebox'
import type { TenantId } from '../caller.ts'
import type { JsonObject } from '../crypto/json.ts'
import { newId } from '../crypto/random.ts'
import { findTenantOf } from '../directory/find-tenant.ts'
import type { Tenant } from '../directory/tenant.ts'
import { Fault } from '../fault.ts'
import { job } from '../jobs/job.ts'
import type { Platform } from '../platform.ts'
import { itemErrorOf } from './batch.ts'
import {
  type HeldBatch,
  listWaitingItems,
  type Settlement,
  settleItems,
  takeBatch,
  type WaitingItem,
} from './batch-store.ts'
import type { SignerNeeds } from './credential-signer.ts'
import { type Judge, judgeOf } from './issuance-refusal.ts'
import { type Template, txCodeOf } from './template.ts'
import { freshTemplate } from './template-cache.ts'
import { makeTxCode, txCodeMac } from './tx-code.ts'

type Needs = SignerNeeds & Pick<Platform, 'sealing' | 'log'>

/** How long after its last step a run is taken for dead. */
export const BATCH_LEASE_MS = 10_000
/** A step is one statement; this many rows keep it well below a second. */
const ITEMS_PER_STEP = 250
/** Runs without any progress, after which a batch is given up. */
const TRIES_MAX = 8

/** Issues what a batch still lacks. */
export const runBatchJob = job({
  name: 'issuance.run-batch',
  payload: Type.Object({ batchId: Type.String() }, { additionalProperties: false }),
  attemptsMax: 5,
  timeoutSeconds: 120,
  run: (platform, { batchId }, signal, { tenantId }) => runBatch(platform, tenantId, batchId, signal),
})

/**
 * Issues the items of a batch that wait, step by step, unless another run is at it. Who takes over from a run that died goes on behind its last
 * step; a run that was only taken for dead can write nothing any more.
 */
export async function runBatch(needs: Needs, tenantId: TenantId, batchId: string, signal: AbortSignal): Promise<void> {
  const { store, clock } = needs
  const tenant = await findTenantOf(needs, tenantId)
  const now = clock.now()
  const claim = { id: batchId, claim: newId(), leaseUntil: leaseFrom(now) }
  const held = tenant === null ? null : await store.single(tenantId, (tx) => takeBatch(tx, claim, now))
  if (held === null || tenant === null) return
  let left: 'some' | 'none' = 'some'
  while (left === 'some' && !signal.aborted) left = await step(needs, tenant, held)
}

/** @returns whether there may be more to do for this run */
async function step(needs: Needs, tenant: Tenant, held: HeldBatch): Promise<'some' | 'none'> {
  const { store, clock } = needs
  const items = await store.single(tenant.id, (tx) => listWaitingItems(tx, held.id, ITEMS_PER_STEP))
  if (items.length === 0) return 'none'
  const template = await freshTemplate(needs, tenant.id, held.templateId)
  const judged = await judge(needs, tenant, held, template, items)
  const now = clock.now()
  const ttlSeconds = held.expiresInSeconds ?? needs.config.offerTtlSeconds
  const times = { expiresAt: new Date(now.getTime() + ttlSeconds * 1000), leaseUntil: leaseFrom(now) }
  const outcome = await store.single(tenant.id, (tx) => settleItems(tx, held, { ...judged, ...times, template }, now))
  // Stale: the template was changed a moment ago, so the items are judged again.
  return outcome === 'lost' ? 'none' : 'some'
}

async function judge(
  needs: Needs,
  tenant: Tenant,
  held: HeldBatch,
  template: Template,
  items: readonly WaitingItem[],
): Promise<Pick<Settlement, 'issued' | 'failed'>> {
  const issued: Settlement['issued'][number][] = []
  const failed: Settlement['failed'][number][] = []
  const refusal = held.tries > TRIES_MAX ? givenUp : await judgeOf(needs, tenant, template)
  for (const item of items) {
    const fault = await faultOf(needs, tenant.id, item, refusal)
    if (fault !== null) failed.push({ position: item.position, error: itemErrorOf(fault) })
    else issued.push(await issuedOf(needs, tenant.id, held, template, item))
  }
  return { issued, failed }
}

const givenUp: Judge = () => new Fault('server.unexpected')

/** What cannot even be read is a failure of that item, not of those around it. */
async function faultOf(
  { sealing, log }: Needs,
  tenantId: TenantId,
  item: WaitingItem,
  refusal: Judge,
): Promise<Fault | null> {
  try {
    const place = { tenantId, table: 'issuance', column: 'sealed_claims', row: item.id }
    const opened = await sealing.open(place, item.sealedClaims)
    // We sealed it ourselves, out of a JSON object.
    return refusal(JSON.parse(opened.toString('utf8')) as JsonObject)
  } catch (error) {
    if (error instanceof Fault) return error
    log.error({ err: error, issuanceId: item.id }, 'an item of a batch could not be read')
    return new Fault('server.unexpected')
  }
}

async function issuedOf(
  { sealing }: Needs,
  tenantId: TenantId,
  held: HeldBatch,
  template: Template,
  { position, id }: WaitingItem,
): Promise<Settlement['issued'][number]> {
  const asked = txCodeOf(template.definition)
  const txCode = asked === null ? null : await makeTxCode(sealing, tenantId, id, asked)
  const mac = txCode === null ? null : await txCodeMac(sealing, tenantId, id, txCode)
  const credentialId = newId()
  const detail = { credentialId, credentialTemplateId: template.id, batchId: held.id }
  const subject = { kind: 'issuance', id }
  const entry = { action: 'openid4vc.issuance.offered', subject, by: held.askedBy, detail }
  return { position, credentialId, txCodeMac: mac, entry }
}

function leaseFrom(now: Date): Date {
  return new Date(now.getTime() + BATCH_LEASE_MS)
}
