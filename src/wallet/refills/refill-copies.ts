import { Type } from 'typebox'
import type { TenantId } from '../../caller.ts'
import type { ShownCredential } from '../../contract/wallet/credentials.ts'
import { sortedJson } from '../../crypto/json.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import { enqueue, job } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import { newLease } from '../../store/lease.ts'
import type { TenantTx } from '../../store/store.ts'
import { findCredential } from '../credentials/credential-store.ts'
import { showSealed } from '../credentials/get-credential.ts'
import { replaceNotification } from '../credentials/notification-store.ts'
import { enqueueNotification } from '../credentials/notify-issuer.ts'
import {
  type ClaimedRefill,
  claimRefill,
  deleteRefill,
  isRefillLeased,
  queueRefills,
  type RefillRun,
  releaseRefill,
  replaceCopies,
  saveRefill,
} from '../credentials/refill-store.ts'
import { isTransientFault } from '../credentials/upstream.ts'
import {
  NOTIFICATION_KEPT_MS,
  type Receipt,
  reportRefused,
  type SealedReceipt,
  sealCredentials,
  verifyAll,
} from '../offers/keep-credentials.ts'
import { type OpenOrder, type Order, openOrder, sealOrder, withoutKeys } from '../offers/order.ts'
import { fetchCredentials, receivedOf } from '../offers/redeem-offer.ts'

type Run = ClaimedRefill & RefillRun
type Holding = { readonly tenantId: TenantId; readonly run: Run; readonly open: OpenOrder }

/** Far beyond the time-out of the job: a second run would ask the issuer for other copies. */
const LEASE_MS = 600_000

/**
 * Requests new copies of a credential, for new keys, with the tokens of its receipt, before every copy was presented.
 * While the issuer is out of reach it is retried with the same keys; a refusal deletes tokens and keys, and the copies
 * that the wallet has are presented again.
 *
 * @see [OpenID4VCI 1.0, 14.3 and 14.5](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-refreshing-issued-credentia)
 */
export const refillCopiesJob = job({
  name: 'wallet.refill-copies',
  payload: Type.Object({ credentialId: Type.String() }, { additionalProperties: false }),
  attemptsMax: 8,
  timeoutSeconds: 60,
  run: (platform, { credentialId }, _signal, { tenantId }) => refillCopies(platform, tenantId, credentialId),
})

/**
 * Enqueues a refill for each of these credentials that has one and is not enqueued yet, in the caller's transaction.
 */
export async function requestRefills(tx: TenantTx, credentialIds: readonly string[], now: Date): Promise<void> {
  for (const credentialId of await queueRefills(tx, credentialIds, now))
    await enqueue(tx, refillCopiesJob, { credentialId }, { now })
}

async function refillCopies(platform: Platform, tenantId: TenantId, id: string): Promise<void> {
  const { store, sealing, log } = platform
  const run = await begin(platform, tenantId, id)
  if (run === null) return
  const open = openedRefill(
    platform,
    tenantId,
    run,
    await openOrder(sealing, tenantId, id, run.sealedWork, 'wallet_refill'),
  )
  const holding = { tenantId, run, open }
  try {
    await fetchCopies(platform, holding)
  } catch (error) {
    if (error instanceof Fault && !isTransientFault(error)) {
      log.info({ code: error.code }, 'new copies of a credential were refused')
      await reportRefused(platform, receiptOf(holding), receivedOf(open.order))
      await store.single(tenantId, (tx) => deleteRefill(tx, run))
      return
    }
    const sealedWork = await sealOrder(sealing, tenantId, id, open.order, 'wallet_refill')
    await store.single(tenantId, (tx) => releaseRefill(tx, run, sealedWork))
    throw error
  }
}

/**
 * @returns null if there is nothing to do
 * @throws Fault `state.invalid` while another run holds the lease; the queue retries
 */
async function begin({ store, clock }: Platform, tenantId: TenantId, id: string): Promise<Run | null> {
  const now = clock.now()
  const lease = newLease(now, LEASE_MS)
  const row = await store.single(tenantId, (tx) => claimRefill(tx, id, lease, now))
  if (row !== null) return { ...row, claim: lease.claim }
  if (await store.single(tenantId, (tx) => isRefillLeased(tx, id, now))) throw new Fault('state.invalid')
  return null
}

function openedRefill({ store, sealing }: Platform, tenantId: TenantId, run: Run, order: Order): OpenOrder {
  const save = async (changed: Order) => {
    const sealedWork = await sealOrder(sealing, tenantId, run.id, changed, 'wallet_refill')
    await store.single(tenantId, (tx) => saveRefill(tx, run, sealedWork))
  }
  return { order, save }
}

async function fetchCopies(platform: Platform, holding: Holding): Promise<void> {
  const { open } = holding
  await makeKeys(open)
  await fetchCredentials({ ...platform, tenantId: holding.tenantId }, open)
  const receipt = receiptOf(holding)
  const [sealed] = await sealCredentials(platform, receipt, await verifyAll(platform, receipt, receivedOf(open.order)))
  // a deferral would need the consent that the credential has already
  if (sealed === undefined) throw new Fault('issuer_answer.invalid', { detail: 'The issuer defers the new copies.' })
  await keepCopies(platform, holding, sealed)
}

/**
 * Makes the keys once, and stores them before they are used: after a lost answer the issuer has bound the copies to
 * them.
 */
async function makeKeys(open: OpenOrder): Promise<void> {
  const { order } = open
  if (order.datasets.every(({ keys }) => keys.length > 0)) return
  const datasets = order.datasets.map(({ copies = 0, ...one }) => ({
    ...one,
    copies,
    keys: Array.from({ length: copies }, generateKeyPair),
  }))
  open.order = { ...order, datasets }
  await open.save(open.order)
}

function receiptOf({ tenantId, run, open }: Holding): Receipt {
  return { ...open.order, tenantId, userId: run.userId, by: 'system', deliveryId: null }
}

async function keepCopies(platform: Platform, { tenantId, run, open }: Holding, sealed: SealedReceipt): Promise<void> {
  const { store, sealing, clock } = platform
  const { held, copies, notification, shown } = sealed
  const found = await store.single(tenantId, (tx) => findCredential(tx, run.userId, run.id))
  if (found === null) return
  // the holder consented to what the credential says; a credential that says something else is a new one
  if (contentOf(shown) !== contentOf(await showSealed(platform, tenantId, found)))
    throw new Fault('credential.invalid', { detail: 'The new copies do not say the same.' })
  const rest = await sealOrder(sealing, tenantId, run.id, withoutKeys(open.order), 'wallet_refill')
  const now = clock.now()
  const { issuedAt, expiresAt, remindAt } = held
  await store.inTenant(tenantId, async (tx) => {
    if (!(await replaceCopies(tx, run, rest, { copies, issuedAt, expiresAt, remindAt, updatedAt: now }))) return
    if (notification !== null) {
      await replaceNotification(tx, notification, run.id, new Date(now.getTime() + NOTIFICATION_KEPT_MS))
      await enqueueNotification(tx, run.id, now)
    }
    const subject = { kind: 'wallet_credential', id: run.id } as const
    await record(tx, { action: 'wallet_credential.refilled', subject, by: 'system' }, now)
  })
}

/** By the issuer that the credential states, which does not depend on who signed it. */
function contentOf({ format, vct, iss, statedIss, claims }: ShownCredential): string {
  return sortedJson([format, vct, statedIss ?? iss ?? null, claims])
}
