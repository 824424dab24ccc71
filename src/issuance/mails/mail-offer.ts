import { Type } from 'typebox'
import type { MailFailure } from '../../contract/issuance/offer-mails.ts'
import type { Language } from '../../contract/languages.ts'
import { isLanguage } from '../../contract/languages.ts'
import { faceOf, firstLanguage } from '../../directory/tenants/face-of.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { enqueueEach, enqueueMissing, job } from '../../jobs/job.ts'
import { MailNotTaken, sendMail } from '../../mail/send-mail.ts'
import type { Platform } from '../../platform.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { TenantTx } from '../../store/store.ts'
import { withTimeLimit } from '../../time-limit.ts'
import { offerPageUri } from '../offers/offer-page.ts'
import { nameIn } from '../templates/template.ts'
import { offerMailText } from './mail-texts.ts'
import { mailColumn } from './offer-mail.ts'
import {
  countFailedMails,
  findQueuedMail,
  listOldMails,
  type MailedOffer,
  type QueuedMail,
  queueMails,
  settleMail,
} from './offer-mail-store.ts'

/** Retries after 2 s, 4 s, … an hour: given up after some six hours. */
const ATTEMPTS_MAX = 16
/** The address of a mail that waits is kept so long: beyond the last attempt. */
export const KEPT_MS = 8 * 3_600_000
/** A mail that has waited so long may have no job. */
const LATE_MS = 600_000
const SEND_MS_MAX = 60_000
const NAME_CHARS_MAX = 200

/**
 * Mails the link of an offer, unless the offer was taken or has ended. It may be mailed twice, if the process ends
 * between the answer of the mail server and the record of it. An outcome that another attempt cannot change is recorded
 * at once.
 */
export const mailOfferJob = job({
  name: 'issuance.mail-offer',
  payload: Type.Object({ issuanceId: Type.String(), revision: Type.Integer() }, { additionalProperties: false }),
  attemptsMax: ATTEMPTS_MAX,
  timeoutSeconds: 90,
  run: async (platform, queued, _signal, { tenantId, attempt }) => {
    const { store, clock } = platform
    const offer = await store.single(tenantId, (tx) => findQueuedMail(tx, queued, clock.now()))
    const tenant = await findTenantOf(platform, tenantId)
    if (offer === null || tenant === null) return
    if (!offer.isOpen) return settle(platform, tenant, queued, 'offer_ended')
    try {
      await send(platform, tenant, queued, offer)
    } catch (error) {
      if (error instanceof MailNotTaken && error.isRefusal) return settle(platform, tenant, queued, 'refused')
      if (attempt < ATTEMPTS_MAX) throw error
      return settle(platform, tenant, queued, 'unreachable')
    }
    await settle(platform, tenant, queued, null)
  },
})

/**
 * Queues the mails of offers and enqueues their jobs, in the transaction that inserts or renews the offers.
 *
 * @returns how many were queued: an offer is mailed ten times at most
 */
export async function mailOffers(
  tx: TenantTx,
  mails: readonly { readonly id: string; readonly sealedMail: Buffer }[],
  { now, batchId = null }: { readonly now: Date; readonly batchId?: string | null },
): Promise<number> {
  if (mails.length === 0) return 0
  const queued = await queueMails(tx, mails, { now, batchId, dropAt: new Date(now.getTime() + KEPT_MS) })
  await enqueueEach(tx, mailOfferJob, queued, { now })
  return queued.length
}

/** Returns when the retention of a mail ends that was queued so long ago that its job may be lost. */
export function lateMailsDropAt(now: Date): Date {
  return new Date(now.getTime() + KEPT_MS - LATE_MS)
}

/** Enqueues the missing jobs of mails that have waited for long. */
export async function requeueMails(tx: TenantTx, now: Date): Promise<void> {
  const late = await listOldMails(tx, lateMailsDropAt(now))
  await enqueueMissing(tx, mailOfferJob, late, now)
}

/** Counts the mails that failed after a time, without those whose offer had ended. */
export function failedOfferMails(tx: TenantTx, since: Date): Promise<number> {
  return countFailedMails(tx, since)
}

/** Records the outcome of a mail. @param reason null: it was sent. */
export async function settle(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { id: tenantId }: Pick<Tenant, 'id'>,
  queued: QueuedMail,
  reason: MailFailure | null,
): Promise<void> {
  const subject = { kind: 'issuance', id: queued.issuanceId } as const
  const entry =
    reason === null
      ? ({ action: 'issuance.offer_mailed', subject, by: 'system' } as const)
      : ({ action: 'issuance.offer_mail_failed', subject, by: 'system', detail: { reason } } as const)
  await store.inTenant(tenantId, (tx) => settleMail(tx, queued, reason, entry, clock.now()))
}

async function send(platform: Platform, tenant: Tenant, { issuanceId }: QueuedMail, offer: MailedOffer): Promise<void> {
  const recipient = await mailColumn.open(platform.sealing, tenant.id, issuanceId, offer.sealedMail)
  const { language: asked } = recipient
  const language = isLanguage(asked) ? asked : await firstLanguage(platform, tenant.id)
  const text = offerMailText(language, {
    organisation: shown(tenant.name),
    credential: shown(nameIn(language, { name: offer.templateName, display: offer.display })),
    link: await offerPageUri(platform, { tenantId: tenant.id, tenantSlug: tenant.slug }, issuanceId),
    end: endOf(offer, tenant, language),
    hasCode: offer.hasCode,
    isReminder: offer.isReminder,
  })
  const late = () => new MailNotTaken(new Error('the time is over'))
  await withTimeLimit(sendMail(platform, { to: recipient.address, ...text }, tenant.settings), SEND_MS_MAX, late)
}

/** Names of tenants and templates are texts of others: one line, without what changes how the rest is read. */
function shown(name: string): string {
  return foreignText(name, NAME_CHARS_MAX) ?? '–'
}

function endOf({ expiresAt }: MailedOffer, tenant: Tenant, language: Language): string {
  const { timeZone } = faceOf(tenant)
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone } as const
  return `${new Intl.DateTimeFormat(language, format).format(expiresAt)} (${timeZone})`
}
