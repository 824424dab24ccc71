import type { ReplyOf } from '../../contract/api-operation.ts'
import { pushSubscriptions } from '../../contract/wallet/push-subscriptions.ts'
import { parseJson } from '../../crypto/json.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { hidden } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, card, rows } from '../../pages/parts.ts'
import { type Frame, formScreen } from '../frame/screen.ts'
import { messageTexts } from './message-texts.ts'

const PATH = '/me/messages'
const SETTINGS = '/me/settings'

/** A browser that is sent messages, as the API shows it. */
export type Subscription = ReplyOf<typeof pushSubscriptions.list>[number]

/** Returns the card with which a person turns messages on and off; null where the deployment sends none. */
export async function messagesCard(frame: Frame): Promise<Html | null> {
  const { data, meta } = await frame.api.call(pushSubscriptions.list)
  const key = meta.applicationServerKey
  if (typeof key !== 'string') return null
  const t = messageTexts[frame.language]
  const endpoints = data.map(({ endpoint }) => endpoint).join(' ')
  const element = html`<push-messages key="${key}" endpoints="${endpoints}"
    on="${t.isOn}" denied="${t.denied}" absent="${t.absent}" failed="${t.failed}">
    <input type="hidden" name="subscription">
    <p role="status"></p>
    <p hidden>${button(t.turnOn)}</p>
  </push-messages>`
  const content = html`<p>${t.text}</p>
  ${form(frame, PATH, element)}
  <noscript><p class="hint">${t.plain}</p></noscript>
  ${browsers(frame, data)}`
  return card(content, t.title)
}

function browsers(frame: Frame, all: readonly Subscription[]): Html | null {
  if (all.length === 0) return null
  const t = messageTexts[frame.language]
  const items = all.map(({ id, endpoint, createdAt }) => ({
    title: hostOf(endpoint),
    about: html`${t.since} ${moment(createdAt, frame.language, frame.me.organisation.timeZone)}`,
    action: form(frame, PATH, html`${hidden('off', id)}${button(t.turnOff)}`),
  }))
  return rows(t.browsers, items)
}

/** Returns the push service of a browser. */
export function hostOf(endpoint: string): string {
  return URL.parse(endpoint)?.hostname ?? ''
}

/** A browser that has no messages any more is what the person wanted. */
function orGone(error: unknown): void {
  if (!(error instanceof ApiRefusal) || error.status !== 404) throw error
}

/** Takes what the forms of the card send. */
export const messageScreens: readonly Endpoint[] = formScreen({
  place: 'settings' as const,
  path: PATH,
  summary: 'Turns messages to a browser on or off.',
  show: () => ({ to: SETTINGS }),
  send: async ({ api, fields, language }) => {
    const off = typed(fields, 'off')
    if (off !== '') await api.call(pushSubscriptions.unsubscribe, { params: { id: off } }).catch(orGone)
    else {
      // What the browser states, checked by the API.
      const subscription = parseJson(Buffer.from(typed(fields, 'subscription') || '{}'))
      await api.call(pushSubscriptions.subscribe, { body: { ...Object(subscription), language } })
    }
    return { to: SETTINGS }
  },
})
