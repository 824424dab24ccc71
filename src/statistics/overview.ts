import { type Caller, holds, type Scope } from '../caller.ts'
import type { OverviewReply } from '../contract/events/statistics.ts'
import { endingSecrets } from '../directory/clients/manage-clients.ts'
import { readTotals } from '../events/counts/count-events.ts'
import { dayOf, type EndCount } from '../events/counts/metric.ts'
import { disabledEndpoints } from '../events/webhooks/webhook-endpoints.ts'
import { failedBatches } from '../issuance/batches/get-batch.ts'
import { notableIssuances } from '../issuance/issuances/origins.ts'
import { failedOfferMails } from '../issuance/mails/mail-offer.ts'
import { countUnverifiableLists } from '../issuance/status/publish-status-list.ts'
import type { Platform } from '../platform.ts'
import type { TenantTx } from '../store/store.ts'
import { endingCertificates } from '../trust/certificates/get-certificate.ts'
import { failedDeliveries } from '../wallet/delivery-records/settle-delivery.ts'
import { origins } from './statistics.ts'

const SOON_MS = 30 * 86_400_000

/**
 * Returns the figures of a tenant now, as far as the scopes of the caller allow. Figures of credentials come from the
 * counted events and the days on which validity ends, so they cost the same however many credentials there are.
 *
 * @returns `asOf`: every event until then is counted.
 */
export async function readOverview(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  caller: Caller,
): Promise<{ readonly data: OverviewReply; readonly asOf: string }> {
  const now = clock.now()
  return store.inTenant(caller.tenantId, async (tx) => {
    const { totals, ends, verified, countedUntil } = await readTotals(tx, now, origins)
    const total = (figure: keyof typeof totals) => totals[figure] ?? 0
    const { suspended, deferred } = await notableIssuances(tx, now)
    const gone = total('issuance.expired') + total('issuance.canceled') + total('issuance.failed')
    const open = total('issuance.offered') - total('issuance.completed') - gone + total('issuance.failedInWallet')
    const allowed = (scope: Scope) => holds(caller, scope)
    const data = {
      ...(allowed('issuance:read') && {
        valid: atLeastNone(sumOf(ends) - suspended),
        offered: atLeastNone(open),
        ending: atLeastNone(sumOf(ends.filter(({ endsOn }) => endsOn <= dayOf(new Date(now.getTime() + SOON_MS))))),
        suspended,
        revoked: total('issuance.revoked'),
      }),
      ...(allowed('verification:read') && { verifiedToday: verified }),
      needsAttention: await needsAttention(tx, allowed, deferred, now),
    }
    return { data, asOf: (countedUntil ?? now).toISOString() }
  })
}

async function needsAttention(
  tx: TenantTx,
  allowed: (scope: Scope) => boolean,
  deferredIssuances: number,
  now: Date,
): Promise<OverviewReply['needsAttention']> {
  const [soon, lately] = [new Date(now.getTime() + SOON_MS), new Date(now.getTime() - SOON_MS)]
  return {
    ...(allowed('issuance:read') && { deferredIssuances, failedBatches: await failedBatches(tx, lately) }),
    ...(allowed('trust:read') && { endingCertificates: await endingCertificates(tx, soon) }),
    ...(allowed('webhooks:write') && { disabledEndpoints: await disabledEndpoints(tx) }),
    ...(allowed('issuance:read') && {
      failedDeliveries: await failedDeliveries(tx, lately),
      failedOfferMails: await failedOfferMails(tx, lately),
      unverifiableStatusLists: await countUnverifiableLists(tx, now),
    }),
    ...(allowed('tenant:admin') && { endingSecrets: await endingSecrets(tx, now, soon) }),
  }
}

function sumOf(ends: readonly EndCount[]): number {
  return ends.reduce((sum, { count }) => sum + count, 0)
}

/**
 * A credential that was reported lost by its wallet and issued once more is counted once, so a difference may be below
 * zero for a moment.
 */
function atLeastNone(count: number): number {
  return Math.max(0, count)
}
