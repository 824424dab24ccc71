import type { Language } from '../../contract/languages.ts'
import { catalogue } from '../../pages/messages/catalogue.ts'
import en from '../../pages/messages/en/offer-mail.json' with { type: 'json' }

/** The values of a mail; names are one line of plain text each. */
type MailValues = {
  readonly organisation: string
  readonly credential: string
  readonly link: string
  /** When the offer ends, in the language of the mail. */
  readonly end: string
  /** The holder must enter a transaction code. */
  readonly hasCode: boolean
  /** The offer was mailed before. */
  readonly isReminder: boolean
}

// The kind of credential may be confidential, and subjects show on locked screens.
const texts = catalogue('offer-mail', en, {
  subject: ['organisation'],
  offers: ['organisation', 'credential'],
  reminderSubject: ['organisation'],
  reminds: ['organisation', 'credential'],
  ends: ['end'],
  code: ['organisation'],
  unexpected: ['organisation'],
})

/** Returns the mail of an offer: subject and plain text. */
export function offerMailText(
  language: Language,
  { organisation, credential, link, end, hasCode, isReminder }: MailValues,
): { readonly subject: string; readonly text: string } {
  const t = texts[language]
  const offers = isReminder ? t.reminds : t.offers
  const lines = [t.hello, offers(organisation, credential), t.open, link, t.ends(end)]
  if (hasCode) lines.push(t.code(organisation))
  lines.push(t.unexpected(organisation))
  const subject = isReminder ? t.reminderSubject : t.subject
  return { subject: subject(organisation), text: `${lines.join('\n\n')}\n` }
}
