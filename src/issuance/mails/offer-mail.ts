import type { Config } from '../../config.ts'
import type { MailFailure, mailStates } from '../../contract/issuance/offer-mails.ts'
import { isLanguage, languages } from '../../contract/languages.ts'
import { Fault, type Violation } from '../../fault.ts'
import { sealedJson } from '../../keys/sealed-column.ts'
import { isMailAddress } from '../../mail-address.ts'

/**
 * The mail of an offer as its issuer sees it, without its address. `at`: when it was requested, or its outcome was
 * known.
 */
export type OfferMail = {
  readonly state: (typeof mailStates)[number]
  readonly at: string
  readonly reason: MailFailure | null
}

/** Whom an offer is mailed to. Without a known language the first one of the organisation is used. */
export type MailRecipient = { readonly address: string; readonly language?: string | undefined }

/** The sealed recipient, bound to the id of the issuance. */
export const mailColumn = sealedJson<MailRecipient>('offer_mail', 'sealed_mail')

type AskedMail = {
  readonly mail?: MailRecipient | undefined
  /** The credential is delivered to a wallet of the tenant. */
  readonly isDelivered: boolean
}

/** @param pointer To the mail in the request. @throws Fault `request.invalid` if this server sends no mail */
export function requireMail({ smtpUrl }: Pick<Config, 'smtpUrl'>, pointer: string): void {
  if (smtpUrl !== null) return
  const detail =
    'This server sends no mail: SMTP_URL is not set. Leave mail out, and send the link of the offer yourself.'
  throw new Fault('request.invalid', { violations: [{ detail, pointer }] })
}

/** @throws Fault `request.invalid` if the mail of an issuance cannot be sent */
export function checkMail(config: Pick<Config, 'smtpUrl'>, asked: AskedMail): void {
  if (asked.mail === undefined) return
  requireMail(config, '/mail')
  const violation = mailViolation(asked)
  if (violation !== null) throw new Fault('request.invalid', { violations: [violation] })
}

/** Returns what is wrong with the mail of an issuance; null: nothing. */
export function mailViolation({ mail, isDelivered }: AskedMail): Violation | null {
  if (mail === undefined) return null
  if (isDelivered) {
    const detail = 'The credential is delivered to the wallet of the recipient, so there is no offer to mail.'
    return { detail, pointer: '/mail' }
  }
  if (!isMailAddress(mail.address)) return { detail: 'address must be an e-mail address.', pointer: '/mail/address' }
  if (mail.language === undefined || isLanguage(mail.language)) return null
  const known = Object.keys(languages).join(', ')
  return { detail: `language must be one of: ${known}.`, pointer: '/mail/language' }
}
