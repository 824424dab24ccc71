import { deferrals } from '../../contract/issuance/deferrals.ts'
import { issuances } from '../../contract/issuance/issuances.ts'
import { reminders } from '../../contract/issuance/reminders.ts'
import { statusChanges } from '../../contract/issuance/status-changes.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { choicesIn, hidden, select } from '../../pages/controls.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { button, buttonLink, facts, message } from '../../pages/parts.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { type ConsoleIssuance, issuanceName, issuanceState } from './issuance.ts'
import { withCode } from './issue-screens.ts'
import { addressOf, lifetimeField, lifetimeOf, mailFields, mailOf, mailProblem } from './mail-fields.ts'
import { type CredentialTexts, credentialTexts } from './texts.ts'

const LIST = '/console/credentials'
const place = 'credentials'

/** What can be done with an issuance, or its credential. */
type Change = keyof CredentialTexts['changes']

/** Reads an issuance. */
export function readIssuance(
  { api, params }: Frame<{ readonly id: string }>,
  headers: Readonly<Record<string, string>> = {},
) {
  return api.call(issuances.get, { params: { id: params.id }, headers })
}

/** Returns what can be done with an issuance in its state. */
export function possible({ status, credentials, offerMail }: ConsoleIssuance): readonly Change[] {
  const [credential] = credentials
  if (status === 'offered' && credential?.status === 'deferred') return ['approve', 'deny']
  if (status === 'offered') return [...(offerMail?.state === 'sent' ? (['remind'] as const) : []), 'offer', 'cancel']
  if (credential?.revocable !== true) return []
  if (credential.status === 'suspended') return ['reinstate', 'revoke']
  return credential.status === 'issued' || credential.status === 'accepted' ? ['suspend', 'revoke'] : []
}

/** Returns the list of reasons for a change that has one. */
export function reasonField(frame: Frame, t: CredentialTexts, change: Change): Html | null {
  if (change !== 'revoke' && change !== 'suspend') return null
  const reasons = choicesIn(t.reasons)
  const choices = [{ value: '', text: t.noReason }, ...reasons]
  const value = typed(frame.fields, 'reason')
  return select(frame, { name: 'reason', label: t.reason, value, choices, isOptional: true })
}

/** Returns the reason that was chosen, as a member of the body. */
export function reasonOf({ fields }: Frame): { readonly reason?: string } {
  const reason = typed(fields, 'reason')
  return reason === '' ? {} : { reason }
}

const harmless: readonly Change[] = ['reinstate', 'remind', 'offer', 'approve']

function changeScreen(change: Change): readonly Endpoint[] {
  const show = async (frame: Frame<{ readonly id: string }>, problem?: string, wrong?: string): Promise<Screen> => {
    const t = credentialTexts[frame.language]
    const { title, text, button: label } = t.changes[change]
    const { data } = await readIssuance(frame)
    const here = `${LIST}/${data.id}`
    const look = harmless.includes(change) ? 'main' : 'danger'
    const mail =
      change === 'offer' && html`${mailFields(frame, await addressOf(frame, data), wrong)}${lifetimeField(frame)}`
    const content = html`${hidden('sure', '1')}
    <p>${text}</p>
    ${reasonField(frame, t, change)}
    ${mail}
    <div class="buttons">${button(label, { look })}${buttonLink(frame.t.cancel, here)}</div>`
    const about = facts([
      [t.template, data.templateName],
      [t.person, issuanceName(data) === '' ? frame.t.none : foreign(issuanceName(data))],
      [t.reference, data.reference ?? frame.t.none],
      [t.state, issuanceState(data, t)],
    ])
    return {
      title,
      crumbs: [[t.title, LIST], [data.reference ?? t.one, here], [label]],
      main: html`<div class="narrow stack">
        ${problem !== undefined && message('bad', t.notChanged + problem)}
        <section class="panel">${about}</section>
        ${form(frame, `${here}/${change}`, content)}
      </div>`,
      hasErrors: problem !== undefined || wrong !== undefined,
    }
  }
  return formScreen({
    place,
    path: `${LIST}/{id}/${change}`,
    summary: `Asks whether to ${change}, and does it.`,
    show: (frame) => show(frame),
    send: async (frame) => {
      let done: string | ConsoleIssuance | null
      try {
        done = await apply(frame, change)
      } catch (error) {
        const wrong = change === 'offer' ? mailProblem(frame, error) : null
        if (wrong === null) throw error
        return show(frame, undefined, wrong)
      }
      if (typeof done === 'string') return show(frame, done)
      return done?.txCode === undefined ? { to: `${LIST}/${frame.params.id}` } : withCode(frame, done)
    },
  })
}

/** Returns why nothing was changed; else the issuance of a new offer. */
async function apply(frame: Frame<{ readonly id: string }>, change: Change): Promise<string | ConsoleIssuance | null> {
  if (change === 'cancel') {
    await frame.api.call(issuances.cancel, { params: { id: frame.params.id } })
    return null
  }
  if (change === 'remind') {
    await frame.api.call(reminders.remind, { params: { id: frame.params.id } })
    return null
  }
  if (change === 'offer')
    return (
      await frame.api.call(issuances.renewOffer, {
        params: { id: frame.params.id },
        body: { ...mailOf(frame.fields), ...lifetimeOf(frame.fields) },
      })
    ).data
  if (change === 'approve' || change === 'deny') {
    await frame.api.call(deferrals[change], { params: frame.params })
    return null
  }
  const { data } = await readIssuance(frame)
  const body = { ids: data.credentials.map(({ id }) => id), ...reasonOf(frame) }
  const { data: done } = await frame.api.call(statusChanges[change], { body })
  const refused = done.results.find(({ code }) => code !== undefined)?.code
  return refused === undefined ? null : credentialTexts[frame.language].refusals[refused]
}

/**
 * Revoking, suspending and reinstating one credential; reminding of its offer, offering it again, deciding on it,
 * cancelling its offer.
 */
export const issuanceChanges: readonly Endpoint[] = (
  ['revoke', 'suspend', 'reinstate', 'cancel', 'remind', 'offer', 'approve', 'deny'] as const
).flatMap(changeScreen)
