import type { Static } from 'typebox'
import type { Caller } from '../../caller.ts'
import type { OfferMailBody } from '../../contract/issuance/offer-mails.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { offerLifetime } from '../offers/offer-lifetime.ts'
import { renewOffer } from '../offers/reinstate-offer.ts'
import { mailOffers } from './mail-offer.ts'
import { checkMail, mailColumn } from './offer-mail.ts'

/**
 * Offers a credential again, as {@link renewOffer}, and mails the link if a mail is requested. A mail that is still
 * queued is replaced.
 *
 * @throws Fault as {@link renewOffer}; `request.invalid` if this server sends no mail; `state.invalid` if the offer was
 *   mailed ten times
 */
export async function offerAgain(
  platform: Pick<Platform, 'store' | 'clock' | 'config' | 'sealing' | 'memory'>,
  caller: Caller,
  id: string,
  ask: { readonly expiresInSeconds?: number | undefined; readonly mail?: Static<typeof OfferMailBody> | undefined },
): Promise<void> {
  const { mail } = ask
  const tenant = await findTenantOf(platform, caller.tenantId)
  const expiresInSeconds = offerLifetime(platform.config, tenant, ask.expiresInSeconds, mail !== undefined)
  if (mail === undefined) return renewOffer(platform, caller, id, { expiresInSeconds })
  checkMail(platform.config, { mail, isDelivered: false })
  const sealedMail = await mailColumn.seal(platform.sealing, caller.tenantId, id, mail)
  const now = platform.clock.now()
  await renewOffer(platform, caller, id, {
    expiresInSeconds,
    also: async (tx) => {
      if ((await mailOffers(tx, [{ id, sealedMail }], { now })) > 0) return
      throw new Fault('state.invalid', { detail: 'This offer was mailed ten times. Send its link yourself.' })
    },
  })
}
