import { Type } from 'typebox'
import { type Language, languages } from '../../pages/language.ts'
import { ADDRESS_CHARS_MAX, mailFailures, mailStates, type OfferMail } from './offer-mail.ts'

const MailLanguage = Type.Enum(Object.keys(languages) as Language[], {
  description: 'Language of the mail; the first one of the organisation by default.',
})
const about =
  'Mails the link of the offer, in plain text, where the server has SMTP_URL. The transaction code is never in it. The address is kept, sealed, until the mail is sent or given up, at most 8 hours.'

/** Whom an offer is mailed to. */
export const OfferMailBody = Type.Object(
  {
    address: Type.String({ format: 'email', maxLength: ADDRESS_CHARS_MAX, description: 'One e-mail address.' }),
    language: Type.Optional(MailLanguage),
  },
  {
    additionalProperties: false,
    description: about,
    $id: 'OfferMailBody',
    examples: [{ address: 'thandi@example.org' }],
  },
)

/** As {@link OfferMailBody}, of an item of a batch: a malformed address is a fault of its item. */
export const ItemMailBody = Type.Object(
  {
    address: Type.String({ minLength: 1, maxLength: ADDRESS_CHARS_MAX, description: 'One e-mail address.' }),
    language: Type.Optional(MailLanguage),
  },
  { additionalProperties: false, description: about },
)

/** The mail of an offer. */
export const OfferMailView = Type.Object(
  {
    state: Type.Enum([...mailStates], { description: '`sent`: the mail server took it.' }),
    at: Type.String({ format: 'date-time', description: 'When it was requested, or its outcome was known.' }),
    reason: Type.Optional(
      Type.Enum([...mailFailures], {
        description:
          'Of a failed one. `refused`: the mail server refused address or content; `unreachable`: it took no mail for some six hours; `offer_ended`: the offer was taken or ended before.',
      }),
    ),
  },
  { description: 'The mail with the link of the offer, if one was requested.', $id: 'OfferMail' },
)

/** Returns the mail of an offer as in our API. */
export function showOfferMail({ state, at, reason }: OfferMail): Type.Static<typeof OfferMailView> {
  return { state, at: new Date(at).toISOString(), ...(reason !== null && { reason }) }
}
