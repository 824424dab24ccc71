import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'
import type { Platform } from '../platform.ts'

/** A mail to one address. `html` is left out of a mail in plain text. */
export type Mail = {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string | undefined
}

/**
 * The settings of a tenant that name the sender: `mailFromName` and `mailReplyTo`. The address of the sender is that of
 * the server.
 */
type SenderSettings = Readonly<Record<string, unknown>>

const TIMEOUT_MS = 20_000

/**
 * The mail server did not take a mail. The message holds neither address nor content, since it is stored with the job
 * and logged.
 */
export class MailNotTaken extends Error {
  override readonly name = 'MailNotTaken'
  /** The server refused this recipient or this content for good (5xx), so that another attempt has the same outcome. */
  readonly isRefusal: boolean

  constructor(cause: unknown) {
    const member = (name: string) => (cause instanceof Error && name in cause ? String(Object(cause)[name]) : '')
    super(`the mail server did not take the mail: ${member('code')} ${member('responseCode')}`.trim())
    // A refused login or sender is a mistake of the deployment, which an operator corrects.
    this.isRefusal = /^5\d\d$/.test(member('responseCode')) && /^(RCPT TO|DATA)$/.test(member('command'))
  }
}

/**
 * Hands a mail to the mail server of the deployment. Addresses and subject are given to the client as values, which it
 * encodes: none of them can add a header or a recipient.
 *
 * @throws MailNotTaken
 */
export async function sendMail(
  { config, memory }: Pick<Platform, 'config' | 'memory'>,
  { to, subject, text, html }: Mail,
  { mailFromName, mailReplyTo }: SenderSettings,
): Promise<void> {
  if (config.smtpUrl === null) throw new MailNotTaken(new Error('SMTP_URL is not set'))
  const url = transportUrl(config.smtpUrl, config)
  const transport = memory.single('mail.transport', () =>
    createTransport(url, { disableFileAccess: true, disableUrlAccess: true }),
  )
  const headers = { 'Auto-Submitted': 'auto-generated' }
  const envelope = { from: config.smtpFrom, to }
  const sender = {
    from: typeof mailFromName === 'string' ? { name: mailFromName, address: config.smtpFrom } : config.smtpFrom,
    ...(typeof mailReplyTo === 'string' && { replyTo: { name: '', address: mailReplyTo } }),
  }
  await transport
    .sendMail({ ...sender, to: { name: '', address: to }, envelope, subject, text, html, headers })
    .catch((error: unknown) => {
      throw new MailNotTaken(error)
    })
}

/** The URL with time limits and, in production, encryption, unless it says otherwise. */
function transportUrl(text: string, { isDevelopment }: Pick<Config, 'isDevelopment'>): string {
  const url = new URL(text)
  const defaults = {
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    ...(isDevelopment || url.protocol === 'smtps:' ? {} : { requireTLS: true }),
  }
  for (const [name, value] of Object.entries(defaults)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(value))
  }
  return url.href
}
