import type { ReplyOf } from '../../contract/api-operation.ts'
import { webhooks } from '../../contract/events/webhooks.ts'
import { parseJson } from '../../crypto/json.ts'
import type { Endpoint as PageEndpoint } from '../../http/routes/endpoint.ts'
import { foreign, shownText } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { onceHeader } from '../../pages/once.ts'
import { buttonLink, card, facts, message } from '../../pages/parts.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { copied } from '../frame/copied.ts'
import { overlapField, overlapIn } from '../frame/overlap.ts'
import type { Frame, Screen } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import {
  endpointHost,
  endpointPath,
  outcomeOf,
  readEndpoint,
  type ShownEndpoint,
  webhooksPath,
  webhooksPlace,
} from './endpoint.ts'
import { type WebhookTexts, webhookTexts } from './texts.ts'

type EndpointWithSecret = ReplyOf<typeof webhooks.create>

/** The only page that has the signing secret. @param formerUntil Until when the former one signs. */
export function webhookSecretTold(frame: Frame, found: EndpointWithSecret, formerUntil?: string): Screen {
  const t = webhookTexts[frame.language]
  const former = formerUntil === undefined ? [] : [[t.formerUntil, when(frame, formerUntil)] as const]
  const known = facts([[t.url, html`<code>${foreign(found.url, 2048)}</code>`], ...former])
  return {
    title: t.secret,
    crumbs: crumbs(found, t, t.secret),
    main: html`<div class="narrow stack">
      ${message('note', t.secretText)}
      ${card(html`${known}${copied(frame, found.secret)}`)}
      <p>${buttonLink(frame.t.back, endpointPath(found))}</p>
    </div>`,
    modules: ['copy-text'],
  }
}

/** Returns the way to what is done with an endpoint. */
export function crumbs(found: ShownEndpoint, t: WebhookTexts, last: string) {
  return [[t.title, webhooksPath], [shownText(endpointHost(found), 80), endpointPath(found)], [last]] as const
}

const test = confirmScreen({
  place: webhooksPlace,
  path: `${webhooksPath}/{id}/test`,
  summary: 'Sends a test message to a webhook endpoint, and tells what became of it.',
  ask: async (frame) => {
    const t = webhookTexts[frame.language]
    const found = await readEndpoint(frame)
    const about = { title: t.testTitle, text: t.testText, button: t.test, look: 'main' } as const
    return { ...about, crumbs: crumbs(found, t, t.test), back: endpointPath(found) }
  },
  act: async (frame) => {
    const t = webhookTexts[frame.language]
    const found = await readEndpoint(frame)
    const { data } = await frame.api.call(webhooks.test, { params: { id: found.id } })
    const { statusCode } = data.attempt
    const isTaken = statusCode !== null && statusCode >= 200 && statusCode < 300
    const known = facts([
      [t.answer, outcomeOf(data.attempt, frame)],
      [t.duration, t.took(String(data.attempt.durationMs))],
      [t.webhookId, html`<code>${data.eventId}</code>`],
    ])
    return {
      title: t.tested,
      crumbs: crumbs(found, t, t.tested),
      main: html`<div class="narrow stack">
        ${message(isTaken ? 'done' : 'bad', isTaken ? t.testOk : t.testBad)}
        <section class="panel">${known}</section>
        ${bodyPanel(t, data.body)}
        <p class="buttons">${buttonLink(frame.t.back, endpointPath(found))}</p>
      </div>`,
    }
  },
})

/** Returns a panel with the body of a message, over several lines. It may be of any size. */
export function bodyPanel(t: WebhookTexts, body: string | null): Html {
  const shown =
    body === null ? html`<p>${t.bodyGone}</p>` : html`<pre class="secret"><code>${indented(body)}</code></pre>`
  return html`<section class="panel"><header><h2>${t.body}</h2></header><div class="inside">${shown}</div></section>`
}

function indented(body: string): string {
  return JSON.stringify(parseJson(body), null, 2)
}

const rotate = confirmScreen({
  place: webhooksPlace,
  path: `${webhooksPath}/{id}/secret`,
  summary: 'Makes a new signing secret of a webhook endpoint.',
  ask: async (frame) => {
    const t = webhookTexts[frame.language]
    const found = await readEndpoint(frame)
    const about = { title: t.rotateTitle, text: t.rotateText, button: t.rotate, look: 'main' } as const
    return { ...about, crumbs: crumbs(found, t, t.rotate), back: endpointPath(found), fields: overlapField(frame) }
  },
  act: async (frame) => {
    const sent = { body: overlapIn(frame.fields), headers: onceHeader(frame.fields) }
    const { data, meta } = await frame.api.call(webhooks.rotateSecret, { params: { id: frame.params.id }, ...sent })
    return webhookSecretTold(frame, data, String(meta.formerSecretUntil))
  },
})

function confirmChange(verb: 'enable' | 'disable'): readonly PageEndpoint[] {
  return confirmScreen({
    place: webhooksPlace,
    path: `${webhooksPath}/{id}/${verb}`,
    summary: `Asks whether to ${verb} a webhook endpoint, and does it.`,
    ask: async (frame) => {
      const t = webhookTexts[frame.language]
      const found = await readEndpoint(frame)
      const look = verb === 'enable' ? 'main' : 'danger'
      const about = { title: t[`${verb}Title`], text: t[`${verb}Text`], button: t[verb], look } as const
      return { ...about, crumbs: crumbs(found, t, t[verb]), back: endpointPath(found) }
    },
    act: async ({ api, params }) => {
      const status = verb === 'enable' ? 'active' : 'disabled'
      await api.call(webhooks.change, { params: { id: params.id }, body: { status } })
      return { to: endpointPath(params) }
    },
  })
}

/** What is done with a webhook endpoint. */
export const webhookChanges: readonly PageEndpoint[] = [
  ...test,
  ...rotate,
  ...confirmChange('enable'),
  ...confirmChange('disable'),
]
