import { Type } from 'typebox'
import { allLanguages } from '../languages.ts'

const MailLanguage = Type.Enum(allLanguages, {
  description: 'Language of the mail; the first one of the organisation by default.',
})

const about =
  'Mails the link of the offer, in plain text, where the server has SMTP_URL. The transaction code is never in it. The address is kept, sealed, as long as the offer is open, for reminders; of a mail that was not sent until it is given up, at most 8 hours.'

/** Characters of an address, by RFC 5321. */
export const ADDRESS_CHARS_MAX = 254

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

/** Outcome of a mail. `sent`: the mail server took it. */
export const mailStates = ['queued', 'sent', 'failed'] as const

/** Why a mail was not sent. */
const mailFailures = ['refused', 'unreachable', 'offer_ended'] as const

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

/** One of {@link mailFailures}. */
export type MailFailure = (typeof mailFailures)[number]
