import type { Caller } from '../../caller.ts'
import { REMINDERS_MAX } from '../../contract/issuance/reminders.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import { enqueueEach } from '../../jobs/job.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { KEPT_MS, mailOfferJob } from '../mails/mail-offer.ts'
import { countOpenOffers, listDueReminders, type OpenOffers, queueReminders } from './reminder-store.ts'

/** A person is reminded once a day at most. */
const PAUSE_MS = 86_400_000

type Needs = Pick<Platform, 'store' | 'clock' | 'config'>

/**
 * Mails the link of an open offer again, to the address that it was mailed to.
 *
 * @throws Fault `state.invalid` if this server sends no mail, or the offer is not open, was not mailed, or was mailed
 *   within a day or ten times
 */
export async function remindOne(needs: Needs, caller: Caller, id: string): Promise<void> {
  requireSmtp(needs)
  const now = needs.clock.now()
  const count = await needs.store.inTenant(caller.tenantId, async (tx) => {
    const queued = await queue(tx, [id], now)
    const subject = { kind: 'issuance', id } as const
    if (queued > 0) await record(tx, { action: 'issuance.reminded', subject, by: caller }, now)
    return queued
  })
  if (count > 0) return
  const detail =
    'There is nobody to remind: the offer is not open, was not mailed, or was mailed within the last 24 hours or ten times.'
  throw new Fault('state.invalid', { detail })
}

/**
 * As {@link remindOne}, for the items of a batch whose offers are open, at most 1,000. Those that were reminded are
 * passed over for a day, so a repeated call reminds the others.
 *
 * @throws Fault `state.invalid` if this server sends no mail
 */
export async function remindBatch(
  needs: Needs,
  caller: Caller,
  batchId: string,
): Promise<{ readonly reminded: number; readonly more: boolean }> {
  requireSmtp(needs)
  const now = needs.clock.now()
  return needs.store.inTenant(caller.tenantId, async (tx) => {
    const due = await listDueReminders(tx, batchId, { before: before(now), limit: REMINDERS_MAX + 1 })
    const reminded = await queue(tx, due.slice(0, REMINDERS_MAX), now)
    const subject = { kind: 'issuance_batch', id: batchId } as const
    if (reminded > 0)
      await record(tx, { action: 'issuance.reminded', subject, by: caller, detail: { count: reminded } }, now)
    return { reminded, more: due.length > REMINDERS_MAX }
  })
}

/** Counts the open offers of a batch, and those that {@link remindBatch} would remind of: none if no mail is sent. */
export async function countReminders(
  { store, clock, config }: Needs,
  { tenantId }: Caller,
  batchId: string,
): Promise<OpenOffers> {
  const now = clock.now()
  const counted = await store.single(tenantId, (tx) => countOpenOffers(tx, batchId, { now, before: before(now) }))
  return config.smtpUrl === null ? { ...counted, due: 0 } : counted
}

function requireSmtp({ config }: Needs): void {
  if (config.smtpUrl !== null) return
  throw new Fault('state.invalid', { detail: 'This server sends no mail: SMTP_URL is not set.' })
}

const before = (now: Date) => new Date(now.getTime() - PAUSE_MS)

async function queue(tx: TenantTx, ids: readonly string[], now: Date): Promise<number> {
  if (ids.length === 0) return 0
  const dropAt = new Date(now.getTime() + KEPT_MS)
  const queued = await queueReminders(tx, ids, { now, before: before(now), dropAt })
  await enqueueEach(tx, mailOfferJob, queued, { now })
  return queued.length
}
