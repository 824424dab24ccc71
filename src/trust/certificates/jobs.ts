import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import { publishCrl } from '../revocation/publish-crl.ts'
import { listDueLists } from '../revocation/revocation-list-store.ts'
import { ensureLeaf } from './make-leaf.ts'
import {
  type DueCertificate,
  expireRequest,
  forgetKey,
  forgetRequestKey,
  listDueKeys,
  listDueRequests,
  listEnding,
  listRootsWithoutLeaf,
  recordExpiryWarning,
} from './upkeep-store.ts'

/** Days before the end of a certificate at which `certificate.expiring` is recorded, once each. */
const WARNING_DAYS = [1, 7, 30, 90] as const

/** Sweeps: renews leafs, reissues revocation lists, records expiry warnings, destroys keys that are due. */
export const trustSchedules: readonly Schedule[] = [
  every(60, 'trust.renew-leafs', async (platform, signal) => {
    const { store, clock, urls } = platform
    const due = await store.across('active roots of all tenants whose leaf is due', (tx) =>
      listRootsWithoutLeaf(tx, urls.issuer(''), clock.now()),
    )
    await oneByOne(platform, due, signal, ({ tenantId, id }) => ensureLeaf(platform, tenantId, id))
  }),
  every(30, 'trust.reissue-lists', async (platform, signal) => {
    const { store, clock } = platform
    const due = await store.across('revocation lists of all tenants that are due', (tx) =>
      listDueLists(tx, clock.now()),
    )
    await oneByOne(platform, due, signal, ({ tenantId, id }) => publishCrl(platform, tenantId, id))
  }),
  every(3600, 'trust.warn-before-end', async (platform, signal) => {
    const { store, clock } = platform
    for (const days of WARNING_DAYS) {
      const due = await store.across('certificates of all tenants that expire soon', (tx) =>
        listEnding(tx, clock.now(), days),
      )
      await oneByOne(platform, due, signal, (one) => warn(platform, one, days))
    }
  }),
  every(300, 'trust.destroy-keys', async (platform, signal) => {
    const { store, clock, keys } = platform
    const requests = await store.across('expired signing requests of all tenants', (tx) =>
      listDueRequests(tx, clock.now()),
    )
    await oneByOne(platform, requests, signal, async ({ tenantId, id, keyId }) => {
      await expire(platform, { tenantId, id })
      await keys.destroy(tenantId, keyId)
      await store.single(tenantId, (tx) => forgetRequestKey(tx, id))
    })
    const due = await store.across('keys of certificates of all tenants that are due for destruction', (tx) =>
      listDueKeys(tx, clock.now()),
    )
    await oneByOne(platform, due, signal, async ({ tenantId, id, keyId }) => {
      await keys.destroy(tenantId, keyId)
      await store.single(tenantId, (tx) => forgetKey(tx, id))
    })
  }),
]

function warn({ store, clock }: Platform, { tenantId, id }: DueCertificate, days: number): Promise<void> {
  const subject = { kind: 'certificate', id } as const
  const entry = { action: 'certificate.expiring', subject, by: 'system', detail: { withinDays: days } } as const
  return store.inTenant(tenantId, (tx) => recordExpiryWarning(tx, id, days, entry, clock.now()))
}

function expire({ store, clock }: Platform, { tenantId, id }: DueCertificate): Promise<void> {
  const subject = { kind: 'certificate_signing_request', id } as const
  const entry = { action: 'certificate_signing_request.expired', subject, by: 'system' } as const
  return store.inTenant(tenantId, (tx) => expireRequest(tx, id, entry, clock.now()))
}

/** A failure does not stop the others; the next run retries it. */
async function oneByOne<T extends DueCertificate>(
  { log }: Platform,
  due: readonly T[],
  signal: AbortSignal,
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  for (const one of due) {
    if (signal.aborted) return
    await work(one).catch((error: unknown) => {
      log.error({ tenantId: one.tenantId, id: one.id, error: String(error) }, 'certificate upkeep failed')
    })
  }
}
