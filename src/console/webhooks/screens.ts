import { webhookDeliveries, webhooks } from '../../contract/events/webhooks.ts'
import type { Endpoint as PageEndpoint } from '../../http/routes/endpoint.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { button, buttonLink, message } from '../../pages/parts.ts'
import type { Frame } from '../frame/screen.ts'
import { when } from '../frame/when.ts'
import { resource } from '../resource/resource.ts'
import { webhookChanges, webhookSecretTold } from './change-screens.ts'
import { deliveriesPanel, deliveryScreens } from './delivery-screens.ts'
import {
  endpointHost,
  endpointPath,
  endpointState,
  type ShownEndpoint,
  webhooksPath,
  webhooksPlace,
} from './endpoint.ts'
import { endpointForm } from './form.ts'
import { webhookTexts } from './texts.ts'

const COUNT_MAX = 1000

/** Webhook endpoints and their deliveries. */
export const webhookScreens: readonly PageEndpoint[] = [
  ...resource({
    noun: webhooks,
    place: webhooksPlace,
    path: webhooksPath,
    texts: webhookTexts,
    called: { one: 'a webhook endpoint', many: 'the webhook endpoints' },
    name: { label: 'url', of: ({ url }) => url, short: endpointHost },
    columns: {
      state: endpointState,
      filterTypes: typesOf,
      pending: { figure: countOf('pending') },
      delivered: { figure: countOf('delivered') },
      dead: { figure: countOf('dead') },
    },
    whenEmpty: ({ language }) => howToVerify(language),
    notice: ({ disabledReason }, { language }) =>
      disabledReason === null ? null : message('warn', webhookTexts[language].reasons[disabledReason]),
    facts: {
      url: ({ url }) => html`<code>${foreign(url, 2048)}</code>`,
      state: endpointState,
      off: ({ disabledAt }, frame) => (disabledAt === null ? null : when(frame, disabledAt)),
      failingSince: ({ failingSince }, frame) => (failingSince === null ? null : when(frame, failingSince)),
      filterTypes: typesOf,
      deliveries: countsOf,
      created: ({ createdAt }, frame) => when(frame, createdAt),
    },
    below: {
      operation: webhookDeliveries.list,
      query: ({ status, type }) => ({ 'filter[status]': status, 'filter[type]': type }),
      show: deliveriesPanel,
    },
    form: endpointForm,
    isFormApart: true,
    actions: actionsOf,
    told: (frame, made) => webhookSecretTold(frame, made),
  }),
  ...webhookChanges,
  ...deliveryScreens,
]

function countOf(status: 'pending' | 'delivered' | 'dead') {
  return ({ counts }: ShownEndpoint, { language }: Frame): string => {
    const count = counts?.[status] ?? 0
    return `${figure(count, language)}${count >= COUNT_MAX ? '+' : ''}`
  }
}

function countsOf(one: ShownEndpoint, frame: Frame): string {
  const t = webhookTexts[frame.language]
  const statuses = ['pending', 'delivered', 'dead'] as const
  return statuses.map((status) => `${t[status]}${frame.t.colon}${countOf(status)(one, frame)}`).join(' · ')
}

function typesOf({ filterTypes }: ShownEndpoint, { language }: Frame): string {
  const t = webhookTexts[language]
  return filterTypes.length === 0 ? t.everyType : t.someTypes(filterTypes.length)
}

function howToVerify(language: Frame['language']): Html {
  const t = webhookTexts[language]
  const sample = html`<pre class="secret"><code>${SAMPLE}</code></pre>`
  return html`<section class="panel"><header><h2>${t.verifyTitle}</h2></header>
<div class="inside"><p>${t.verifyText}</p>${sample}</div></section>`
}

const SAMPLE = `import { Webhook } from 'standardwebhooks'
const webhook = new Webhook(process.env.WEBHOOK_SECRET)
const event = webhook.verify(rawBody, request.headers)
if (await isNew(event.data.id)) await enqueue(event)
response.writeHead(204).end()`

function actionsOf(found: ShownEndpoint, frame: Frame): Html {
  const t = webhookTexts[frame.language]
  const verb = found.status === 'active' ? 'disable' : 'enable'
  const test = form(frame, endpointPath(found, 'test'), button(t.test))
  return html`${test}
  ${buttonLink(t.rotate, endpointPath(found, 'secret'))}
  ${buttonLink(t[verb], endpointPath(found, verb))}`
}
