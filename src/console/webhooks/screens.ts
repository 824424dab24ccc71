import type { GivenBody } from '../../contract/call.ts'
import { webhookDeliveries, webhooks } from '../../contract/events/webhooks.ts'
import type { Endpoint as PageEndpoint } from '../../http/routes/endpoint.ts'
import { checkboxes } from '../../pages/controls.ts'
import { foreign, shownText } from '../../pages/foreign-text.ts'
import { field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { button, buttonLink, card, facts, message } from '../../pages/parts.ts'
import { pager, table } from '../../pages/table.ts'
import { hasProblems, noProblems, type Problems, problemList, problemsOf, typedAll } from '../frame/form-values.ts'
import { type Frame, formScreen, listOf, type Screen, screen } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import { countedPageOf, totalLine } from '../frame/total.ts'
import { when } from '../frame/when.ts'
import { journalTexts } from '../journal/texts.ts'
import { changeScreens, secretTold } from './change-screens.ts'
import { deliveriesPanel, deliveryScreens } from './delivery-screens.ts'
import { at, type Endpoint, hostOf, LIST, place, readEndpoint, stateOf } from './endpoint.ts'
import { type WebhookTexts, webhookTexts } from './texts.ts'

const COUNT_MAX = 1000

const list = screen({
  place,
  path: LIST,
  summary: 'Lists the webhook endpoints.',
  download: () => listOf(webhooks.list),
  show: async (frame) => {
    const t = webhookTexts[frame.language]
    const { data, links, meta } = await frame.api.call(webhooks.list, { query: countedPageOf(frame.query) })
    const columns = [
      { heading: t.url, cell: (one: Endpoint) => html`<a href="${at(one)}">${foreign(one.url)}</a>` },
      { heading: t.state, cell: (one: Endpoint) => stateOf(one, t) },
      { heading: t.types, cell: (one: Endpoint) => typesOf(one, t) },
      ...(['pending', 'delivered', 'dead'] as const).map((status) => ({
        heading: t.counts[status],
        cell: ({ counts }: Endpoint) => countOf(counts?.[status] ?? 0, frame),
        isFigure: true,
      })),
    ]
    const shown = data.length === 0 ? empty(frame, t) : table(t.title, columns, data)
    const actions = html`<div class="buttons">${may(frame, 'webhooks:write') && buttonLink(t.new, `${LIST}/new`, 'main')}</div>`
    return {
      title: t.title,
      main: html`<p class="lead">${t.lead}</p>${totalLine(frame, meta, t.counted)}${shown}${pager(frame.texts, links, frame.here)}`,
      actions,
      isEmpty: data.length === 0,
    }
  },
})

function countOf(count: number, { language }: Frame): string {
  return `${figure(count, language)}${count >= COUNT_MAX ? '+' : ''}`
}

function typesOf({ filterTypes }: Endpoint, t: WebhookTexts): string {
  return filterTypes.length === 0 ? t.everyType : t.someTypes(filterTypes.length)
}

function empty(frame: Frame, t: WebhookTexts): Html {
  return html`<div class="empty"><p>${t.empty}</p>${may(frame, 'webhooks:write') && html`<div class="buttons">${buttonLink(t.new, `${LIST}/new`)}</div>`}</div>
<section class="panel"><header><h2>${t.verifyTitle}</h2></header><div class="inside"><p>${t.verifyText}</p><pre class="secret"><code>${SAMPLE}</code></pre></div></section>`
}

const SAMPLE = `import { Webhook } from 'standardwebhooks'
const webhook = new Webhook(process.env.WEBHOOK_SECRET)
const event = webhook.verify(rawBody, request.headers)
if (await isNew(event.data.id)) await enqueue(event)
response.writeHead(204).end()`

const create = formScreen({
  place,
  path: `${LIST}/new`,
  summary: 'Adds a webhook endpoint.',
  show: (frame) => {
    const t = webhookTexts[frame.language]
    return endpointForm(frame, noProblems, t)
  },
  send: async (frame) => {
    const t = webhookTexts[frame.language]
    if (typed(frame.fields, 'url') === '') return endpointForm(frame, { fields: { url: frame.t.required(t.url) } }, t)
    try {
      const { data } = await frame.api.call(webhooks.create, { body: bodyOf(frame), headers: onceHeader(frame.fields) })
      return secretTold(frame, data)
    } catch (error) {
      return endpointForm(frame, problemsOf(error, fieldAt), t)
    }
  },
})

/** Returns what a form says of an endpoint. */
export function bodyOf({ fields }: Pick<Frame, 'fields'>): GivenBody<typeof webhooks.create> {
  return { url: typed(fields, 'url'), filterTypes: typedAll(fields, 'types') }
}

function fieldAt(pointer: string): string | null {
  return pointer === '/url' ? 'url' : null
}

/** Returns the fields of an endpoint: as typed, else as it is now. */
export function endpointFields(frame: Frame, problems: Problems, now: Pick<Endpoint, 'url' | 'filterTypes'>): Html {
  const t = webhookTexts[frame.language]
  const isTyped = frame.fields.size > 0
  const on = isTyped ? typedAll(frame.fields, 'types') : now.filterTypes
  const { events } = journalTexts[frame.language]
  // A type that has no words yet stays chosen.
  const names = [...new Set([...Object.keys(events), ...on])]
  const choices = names.map((value) => ({ value, text: events[value] ?? shownText(value) }))
  const url = { name: 'url', label: t.url, hint: t.urlHint, type: 'url', lengthMax: 2048 } as const
  return html`${field(frame, { ...url, value: isTyped ? typed(frame.fields, 'url') : now.url, error: problems.fields.url })}<details${on.length > 0 && html` open`}><summary>${t.types}</summary><p class="hint">${t.typesHint}</p>${checkboxes('types', t.types, choices, on)}</details>`
}

function endpointForm(frame: Frame, problems: Problems, t: WebhookTexts): Screen {
  const fields = endpointFields(frame, problems, { url: '', filterTypes: [] })
  const content = html`${onceField(frame.fields)}${card(fields)}<div class="buttons">${button(frame.t.save, { look: 'main' })}${buttonLink(frame.t.cancel, LIST)}</div>`
  return {
    title: t.new,
    crumbs: [[t.title, LIST], [t.new]],
    main: html`<div class="narrow stack">${problemList(frame.texts.problems, problems)}${form(frame, `${LIST}/new`, content)}</div>`,
    hasErrors: hasProblems(problems),
  }
}

const one = formScreen({
  place,
  path: `${LIST}/{id}`,
  summary: 'Shows a webhook endpoint with its deliveries, and changes it.',
  download: ({ params, query }) => listOf(webhookDeliveries.list, { params, query: deliveryFilters(query) }),
  show: (frame) => endpointPage(frame, noProblems),
  send: async (frame) => {
    const t = webhookTexts[frame.language]
    if (typed(frame.fields, 'url') === '') return endpointPage(frame, { fields: { url: frame.t.required(t.url) } })
    try {
      const { data } = await frame.api.call(webhooks.change, { params: { id: frame.params.id }, body: bodyOf(frame) })
      return { to: at(data) }
    } catch (error) {
      return endpointPage(frame, problemsOf(error, fieldAt))
    }
  },
})

async function endpointPage(frame: Frame<{ readonly id: string }>, problems: Problems): Promise<Screen> {
  const t = webhookTexts[frame.language]
  const [found, deliveries] = await Promise.all([
    readEndpoint(frame),
    frame.orMissing(
      frame.api.call(webhookDeliveries.list, {
        params: frame.params,
        query: { ...deliveryFilters(frame.query), ...countedPageOf(frame.query) },
      }),
    ),
  ])
  const canWrite = may(frame, 'webhooks:write')
  const change = html`${endpointFields(frame, problems, found)}<div class="buttons">${button(frame.t.save, { look: 'main' })}</div>`
  const reason = found.disabledReason === null ? null : message('warn', t.reasons[found.disabledReason])
  return {
    title: shownText(hostOf(found), 80),
    crumbs: [[t.title, LIST], [shownText(hostOf(found), 80)]],
    main: html`${problemList(frame.texts.problems, problems)}${reason}<section class="panel">${known(frame, found)}</section>${canWrite && actionsOf(frame, found)}${deliveries !== null && deliveriesPanel(frame, found, deliveries)}${canWrite && html`<details class="panel narrow"${hasProblems(problems) && html` open`}><summary>${t.change}</summary><div class="inside">${form(frame, at(found), change)}</div></details>`}`,
    hasErrors: hasProblems(problems),
    isEmpty: deliveries === null || deliveries.data.length === 0,
  }
}

function deliveryFilters({ status, type }: Frame['query']): Record<string, string | undefined> {
  return { 'filter[status]': status, 'filter[type]': type }
}

function known(frame: Frame, found: Endpoint): Html {
  const t = webhookTexts[frame.language]
  const { counts, disabledAt, failingSince } = found
  const counted = (['pending', 'delivered', 'dead'] as const).map(
    (status) => `${t.counts[status]}${frame.t.colon}${countOf(counts?.[status] ?? 0, frame)}`,
  )
  return facts([
    [t.url, html`<code>${foreign(found.url, 2048)}</code>`],
    [t.state, stateOf(found, t)],
    ...(disabledAt === null ? [] : [[t.off, when(frame, disabledAt)] as const]),
    ...(failingSince === null ? [] : [[t.failingSince, when(frame, failingSince)] as const]),
    [t.types, typesOf(found, t)],
    [t.deliveries, counted.join(' · ')],
    [t.created, when(frame, found.createdAt)],
  ])
}

function actionsOf(frame: Frame, found: Endpoint): Html {
  const t = webhookTexts[frame.language]
  const verb = found.status === 'active' ? 'disable' : 'enable'
  const test = form(frame, at(found, 'test'), button(t.test))
  return html`<div class="actions">${test}${buttonLink(t.rotate, at(found, 'secret'))}${buttonLink(t[verb], at(found, verb))}${buttonLink(t.remove, at(found, 'delete'))}</div>`
}

/** Webhook endpoints and their deliveries. */
export const webhookScreens: readonly PageEndpoint[] = [
  ...list,
  ...create,
  ...one,
  ...changeScreens,
  ...deliveryScreens,
]
