import { setting } from './setting.ts'
import { contactUri, mailAddress, smtpUrl, vapidKey } from './setting-types.ts'

/** Mails, and messages to browsers. */
export const messageSettings = {
  smtpUrl: setting(
    'SMTP_URL',
    smtpUrl(),
    null,
    'Mail server that one-time links and offers are sent through: smtps://user:password@host:465, or smtp://host:587, which must offer STARTTLS in production. Without it a link is shown once to the person who created it.',
  ),
  smtpFrom: setting(
    'SMTP_FROM',
    mailAddress(),
    null,
    'Sender of mails. Default: no-reply@ and the host of PUBLIC_URL.',
  ),
  vapidPrivateKey: setting(
    'VAPID_PRIVATE_KEY',
    vapidKey(),
    null,
    'Key by which push services know this deployment, from `chirograph push-key`. With it a person may ask for messages of the wallet in a browser. Another key ends all of them. Without it there are none.',
  ),
  vapidSubject: setting(
    'VAPID_SUBJECT',
    contactUri(),
    null,
    'Where push services reach the operator: mailto:admin@example.org, or an https address. Default: PUBLIC_URL.',
  ),
} as const
