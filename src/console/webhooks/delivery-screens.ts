import { webhookDeliveries } from '../../contract/events/webhooks.ts'
import type { JsonObject } from '../../crypto/json.ts'
import type { Endpoint as PageEndpoint } from '../../http/routes/endpoint.ts'
import { choicesIn, select } from '../../pages/controls.ts'
import { type Html, html } from '../../pages/html.ts'
import { button, buttonLink, facts } from '../../pages/parts.ts'
import { badge, pager, type Tone, table } from '../../pages/table.ts'
import { confirmScreen } from '../frame/confirm.ts'
import { emptyList } from '../frame/empty-list.ts'
import { type Frame, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { bodyPanel, crumbs } from './change-screens.ts'
import {
  type Attempt,
  type Delivery,
  endpointPath,
  eventName,
  outcomeOf,
  readEndpoint,
  type ShownEndpoint,
  webhooksPath,
  webhooksPlace,
} from './endpoint.ts'
import { type WebhookTexts, webhookTexts } from './texts.ts'

const tones: Readonly<Record<Delivery['status'], Tone>> = { pending: 'warn', delivered: 'ok', dead: 'bad' }

type Page = {
  readonly data: readonly Delivery[]
  readonly links: Readonly<Record<string, string>>
  readonly meta: JsonObject
}

/** Returns the deliveries of an endpoint with their filter, one page of them. */
export function deliveriesPanel(frame: Frame, endpoint: ShownEndpoint, { data, links, meta }: Page): Html {
  const t = webhookTexts[frame.language]
  const { status = '' } = frame.query
  const isFiltered = status !== '' || frame.query.after !== undefined || frame.query.before !== undefined
  const choices = [{ value: '', text: frame.t.all }, ...choicesIn(t.statuses)]
  const filter = html`<form class="filter" method="get" action="${endpointPath(endpoint)}">
    ${select(frame, { name: 'status', label: t.status, value: status, choices })}
    ${button(frame.t.filter)}
  </form>`
  const columns = [
    {
      heading: t.event,
      cell: (one: Delivery) =>
        html`<a href="${endpointPath(endpoint, `deliveries/${one.id}`)}">${eventName(one.type, frame)}</a>`,
    },
    { heading: t.status, cell: (one: Delivery) => statusOf(one, t) },
    { heading: t.lastAnswer, cell: (one: Delivery) => lastOf(one, frame) },
    { heading: t.when, cell: (one: Delivery) => when(frame, one.createdAt) },
  ]
  const none = emptyList(frame, { isFiltered, fits: t.noDeliveriesFilter, empty: t.noDeliveries })
  return html`<section class="stack">
    <h2>${t.deliveries}</h2>
    ${(isFiltered || data.length > 0) && filter}
    ${totalLine(frame, meta, t.countedDeliveries)}
    ${data.length === 0 ? none : table(t.deliveries, columns, data)}
    ${pager(frame.texts, links, frame.here)}
    <p class="hint">${t.countsHint}</p>
  </section>`
}

function statusOf({ status }: Delivery, t: WebhookTexts): Html {
  return badge(t.statuses[status], tones[status])
}

function lastOf({ attempts }: Delivery, frame: Frame): Html | string {
  const last = attempts.at(-1)
  return last === undefined ? webhookTexts[frame.language].notTried : outcomeOf(last, frame)
}

type Params = { readonly id: string; readonly delivery: string }

async function readDelivery({ api, params }: Frame<Params>): Promise<Delivery> {
  return (await api.call(webhookDeliveries.get, { params: { id: params.id, deliveryId: params.delivery } })).data
}

const one = screen({
  place: webhooksPlace,
  path: `${webhooksPath}/{id}/deliveries/{delivery}`,
  summary: 'Shows a delivery with its body and its attempts.',
  show: async (frame) => {
    const t = webhookTexts[frame.language]
    const [endpoint, found] = await Promise.all([readEndpoint(frame), readDelivery(frame)])
    const known = facts([
      [t.status, statusOf(found, t)],
      [t.when, when(frame, found.createdAt)],
      ...(found.endedAt === null ? [] : [[t.ended, when(frame, found.endedAt)] as const]),
      ...(found.nextAttemptAt === null ? [] : [[t.next, when(frame, found.nextAttemptAt)] as const]),
      [t.webhookId, html`<code>${found.eventId}</code>`],
    ])
    const columns = [
      { heading: t.when, cell: ({ at: moment }: Attempt) => when(frame, moment) },
      { heading: t.answer, cell: (attempt: Attempt) => outcomeOf(attempt, frame) },
      { heading: t.duration, cell: ({ durationMs }: Attempt) => t.took(String(durationMs)), isFigure: true },
    ]
    const attempts =
      found.attempts.length === 0
        ? html`<p class="hint">${t.notTried}</p>`
        : table(t.attempts, columns, found.attempts.toReversed())
    const again = `${endpointPath(endpoint)}/deliveries/${found.id}/redeliver`
    const actions = may(frame, 'webhooks:write')
      ? html`<div class="buttons">${buttonLink(t.redeliver, again)}</div>`
      : undefined
    return {
      title: eventName(found.type, frame),
      crumbs: crumbs(endpoint, t, t.delivery),
      main: html`<section class="panel">${known}</section>
      <section class="stack"><h2>${t.attempts}</h2>${attempts}</section>
      ${bodyPanel(t, found.body ?? null)}`,
      actions,
    }
  },
})

const redeliver = confirmScreen({
  place: webhooksPlace,
  path: `${webhooksPath}/{id}/deliveries/{delivery}/redeliver`,
  summary: 'Asks whether to send an event again, and does it.',
  ask: async (frame) => {
    const t = webhookTexts[frame.language]
    const [endpoint, found] = await Promise.all([readEndpoint(frame), readDelivery(frame)])
    const about = { title: t.redeliverTitle, text: t.redeliverText, button: t.redeliver, look: 'main' } as const
    return {
      ...about,
      crumbs: crumbs(endpoint, t, t.redeliver),
      back: endpointPath(endpoint, `deliveries/${found.id}`),
    }
  },
  act: async ({ api, params }) => {
    const path = `deliveries/${encodeURIComponent(params.delivery)}`
    await api.call(webhookDeliveries.redeliver, { params: { id: params.id, deliveryId: params.delivery } })
    return { to: endpointPath(params, path) }
  },
})

/** Deliveries of a webhook endpoint. */
export const deliveryScreens: readonly PageEndpoint[] = [...one, ...redeliver]
