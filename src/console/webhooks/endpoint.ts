import type { ReplyOf } from '../../contract/api-operation.ts'
import { type webhookDeliveries, webhooks } from '../../contract/events/webhooks.ts'
import { memberOf } from '../../crypto/json.ts'
import { foreign } from '../../pages/foreign-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { badge } from '../../pages/table.ts'
import type { Frame } from '../frame/screen.ts'
import { journalTexts } from '../journal/texts.ts'
import { webhookTexts } from './texts.ts'

/** Path of the list, and of the operations of the API. */
export const webhooksPath = '/console/webhooks'
/** The entry of the menu. */
export const webhooksPlace = 'webhooks'

/** An endpoint as the API shows it. */
export type ShownEndpoint = ReplyOf<typeof webhooks.get>

/** One attempt of a delivery. */
export type Attempt = {
  readonly at: string
  readonly statusCode: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** A delivery as the API shows it. */
export type Delivery = ReplyOf<typeof webhookDeliveries.get>

/** Returns the path of an endpoint, or of what is done with it. */
export function endpointPath({ id }: Pick<ShownEndpoint, 'id'>, verb?: string): string {
  return `${webhooksPath}/${encodeURIComponent(id)}${verb === undefined ? '' : `/${verb}`}`
}

/** Reads the endpoint that the path names. */
export async function readEndpoint({ api, params }: Frame<{ readonly id: string }>): Promise<ShownEndpoint> {
  return (await api.call(webhooks.get, { params: { id: params.id } })).data
}

/** Returns the host of an endpoint, for headings. */
export function endpointHost({ url }: ShownEndpoint): string {
  return URL.parse(url)?.host ?? url
}

/** Returns the state of an endpoint in words. */
export function endpointState({ status, failingSince }: ShownEndpoint, { language }: Pick<Frame, 'language'>): Html {
  const t = webhookTexts[language]
  if (status === 'disabled') return badge(t.states.disabled, 'bad')
  return failingSince === null ? badge(t.states.active, 'ok') : badge(t.failing, 'warn')
}

/** Returns an event type in words. */
export function eventName(type: string, { language }: Pick<Frame, 'language'>): string {
  return memberOf(journalTexts[language].events, type) ?? type
}

/** Returns what came of an attempt in words. */
export function outcomeOf({ statusCode, error }: Attempt, { language }: Pick<Frame, 'language'>): Html {
  const t = webhookTexts[language]
  if (statusCode === null) return html`${memberOf(t.errors, error ?? '') ?? foreign(error ?? '')}`
  return badge(t.answered(statusCode), statusCode >= 200 && statusCode < 300 ? 'ok' : 'bad')
}
