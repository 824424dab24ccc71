import type { Type } from 'typebox'
import type { OfferMailView } from '../../contract/issuance/offer-mails.ts'
import type { OfferMail } from './offer-mail.ts'

/** Returns the mail of an offer as in our API. */
export function showOfferMail({ state, at, reason }: OfferMail): Type.Static<typeof OfferMailView> {
  return { state, at: new Date(at).toISOString(), ...(reason !== null && { reason }) }
}
