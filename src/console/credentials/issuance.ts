import type { ReplyOf } from '../../contract/api-operation.ts'
import type { issuances } from '../../contract/issuance/issuances.ts'
import { type Html, html } from '../../pages/html.ts'
import { badge, type Tone } from '../../pages/table.ts'
import type { CredentialTexts } from './texts.ts'

/** An issuance, as the API returns it. */
export type ConsoleIssuance = ReplyOf<typeof issuances.get>

const tones: Readonly<Record<string, Tone>> = {
  issued: 'ok',
  accepted: 'ok',
  completed: 'ok',
  offered: 'plain',
  deferred: 'plain',
  partiallyIssued: 'warn',
  suspended: 'warn',
  revoked: 'bad',
  failed: 'bad',
  rejected: 'bad',
  expired: 'plain',
  canceled: 'plain',
}

const mailTones: Readonly<Record<keyof CredentialTexts['mailStates'], Tone>> = {
  queued: 'plain',
  sent: 'ok',
  failed: 'bad',
}

/** Returns the state of the mail with the offer, and why it was not sent. */
export function mailStateOf({ state, reason }: NonNullable<ConsoleIssuance['offerMail']>, t: CredentialTexts): Html {
  const why = reason !== undefined && html`<br><span class="hint">${t.mailReasons[reason]}</span>`
  return html`${badge(t.mailStates[state], mailTones[state])}${why}`
}

/** Returns what the person or card of an issuance is called in one line; `''` if that is not known. */
export function issuanceName({ label, recipient }: Pick<ConsoleIssuance, 'label' | 'recipient'>): string {
  return label ?? recipient?.username ?? ''
}

/** Returns the state of an issuance: that of its credential once there is one. */
export function issuanceState({ status, credentials }: ConsoleIssuance, t: CredentialTexts): Html {
  const [one] = credentials
  const isTaken = status === 'completed' && one !== undefined
  if (one?.status === 'deferred' && status === 'offered') return badge(t.states.deferred, 'warn')
  return isTaken
    ? badge(t.states[one.status], tones[one.status] ?? 'plain')
    : badge(t.issuances[status], tones[status] ?? 'plain')
}
