import type { Language } from '../../../contract/languages.ts'
import { html } from '../../../pages/html.ts'
import type { MailText } from '../mail/mail.ts'
import { textsOf } from './frame.ts'

/** Returns the mail that carries a one-time link. Nothing personal stands in its subject. */
export function linkMail(language: Language, purpose: 'welcome' | 'reset'): MailText {
  const { mail } = textsOf({ language })
  const isReset = purpose === 'reset'
  // The places of the mail are filled in when it is sent.
  const begin = (isReset ? mail.reset : mail.welcome)('{{organisation}}')
  const lines = [mail.greeting('{{username}}'), begin, '{{link}}', mail.once]
  if (isReset) lines.push(mail.ignore)
  const subject = isReset ? mail.resetSubject : mail.welcomeSubject
  const paragraph = (line: string) =>
    line === '{{link}}' ? html`<p><a href="{{link}}">{{link}}</a></p>` : html`<p>${line}</p>`
  const body = html`<!doctype html>
  <html lang="${language}">
    <head><meta charset="utf-8"><title>${subject}</title></head>
    <body>${lines.map(paragraph)}</body>
  </html>`
  return { subject, text: `${lines.join('\n\n')}\n`, html: body.text }
}
