import { createTransport } from 'nodemailer'
import { Type } from 'typebox'
import type { TenantId } from '../../../caller.ts'
import type { Config } from '../../../config.ts'
import { readOwnJson } from '../../../crypto/json.ts'
import { findTenantOf } from '../../../directory/tenants/find-tenant.ts'
import type { Tenant } from '../../../directory/tenants/tenant.ts'
import { job } from '../../../jobs/job.ts'
import type { Sealing } from '../../../keys/sealing.ts'
import type { Platform } from '../../../platform.ts'
import type { MailText } from './mail.ts'

/** A mail in the queue: sealed, since it holds an address and a link. */
type SealedMail = { readonly sealed: string }

type Mail = MailText & { readonly to: string }

const TIMEOUT_MS = 20_000

/** Sends a mail. It may be sent twice, if the process ends between the answer of the mail server and the end of the job. */
export const sendMailJob = job({
  name: 'authorization.send-mail',
  payload: Type.Object({ sealed: Type.String() }, { additionalProperties: false }),
  attemptsMax: 10,
  timeoutSeconds: 90,
  run: async (platform, { sealed }, _signal, { tenantId }) => {
    const opened = await platform.sealing.open(placeOf(tenantId), Buffer.from(sealed, 'base64url'))
    // The seal proves that sealMail wrote it.
    const tenant = await findTenantOf(platform, tenantId)
    await send(platform, readOwnJson(opened) as Mail, tenant?.settings ?? {})
  },
})

/** Seals a mail for {@link sendMailJob}. Before the transaction that enqueues it. */
export async function sealMail(sealing: Sealing, tenantId: TenantId, mail: Mail): Promise<SealedMail> {
  return { sealed: (await sealing.seal(placeOf(tenantId), JSON.stringify(mail))).toString('base64url') }
}

/** @throws Error that holds neither address nor content: it is stored with the job */
async function send(
  { config, memory }: Pick<Platform, 'config' | 'memory'>,
  mail: Mail,
  { mailFromName, mailReplyTo }: Tenant['settings'],
): Promise<void> {
  if (config.smtpUrl === null) throw new Error('SMTP_URL is not set')
  const url = transportUrl(config.smtpUrl, config)
  const transport = memory.single('authorization.mail_transport', () =>
    createTransport(url, { disableFileAccess: true, disableUrlAccess: true }),
  )
  const { to, subject, text, html } = mail
  const headers = { 'Auto-Submitted': 'auto-generated' }
  const envelope = { from: config.smtpFrom, to }
  const sender = {
    from: typeof mailFromName === 'string' ? { name: mailFromName, address: config.smtpFrom ?? '' } : config.smtpFrom,
    ...(typeof mailReplyTo === 'string' && { replyTo: { name: '', address: mailReplyTo } }),
  }
  await transport
    .sendMail({ ...sender, to: { name: '', address: to }, envelope, subject, text, html, headers })
    .catch((error: unknown) => {
      const member = (name: string) => (error instanceof Error && name in error ? String(Object(error)[name]) : '')
      throw new Error(`the mail server did not take the mail: ${member('code')} ${member('responseCode')}`.trim())
    })
}

/** The URL with time limits and, in production, encryption, unless it says otherwise. */
function transportUrl(text: string, { isDevelopment }: Config): string {
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

function placeOf(tenantId: TenantId) {
  return { tenantId, table: 'job', column: 'mail', row: '' }
}
