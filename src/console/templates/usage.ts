import { issuances } from '../../contract/issuance/issuances.ts'
import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Frame } from '../frame/screen.ts'
import { may } from '../frame/shell.ts'
import type { Template } from './content/template.ts'
import { templateTexts } from './texts.ts'

type Asking = { readonly id: string; readonly name: string }
/**
 * What uses a template: the first requests that ask for its type, as far as the person may see them, and whether there
 * are cards. Null: not to be seen, or missing.
 */
type Usage = {
  readonly requests: readonly Asking[] | null
  readonly hasMore: boolean
  readonly hasCards: boolean | null
}

async function readUsage(frame: Frame, { id, type }: Template): Promise<Usage> {
  const { api, orMissing } = frame
  const [cards, requests] = await Promise.all([
    orMissing(api.call(issuances.list, { query: { 'filter[templateId]': id, 'page[size]': '1' } })),
    may(frame, 'verification:read')
      ? orMissing(api.call(presentationTemplates.list, { query: { 'filter[type]': type, sort: 'name' } }))
      : null,
  ])
  const hasMore = requests?.links.next !== undefined
  return { requests: requests?.data ?? null, hasMore, hasCards: cards === null ? null : cards.data.length > 0 }
}

/** Reads what uses a template, and returns it with the ways there. */
export async function usagePanel(frame: Frame, template: Template): Promise<Html> {
  const { requests, hasMore, hasCards } = await readUsage(frame, template)
  const { id, type } = template
  const t = templateTexts[frame.language]
  const links = (requests ?? []).map((one) => html`<li><a href="/console/requests/${one.id}">${one.name}</a></li>`)
  const more = `/console/requests?type=${encodeURIComponent(type)}`
  const asked =
    requests === null
      ? null
      : links.length === 0
        ? html`<p class="hint">${t.usedByNone}</p>`
        : html`<p>${t.usedByRequests}</p><ul class="list">${links}</ul>
        ${hasMore && html`<p><a href="${more}">${t.usedByMore}</a></p>`}`
  const list = `/console/credentials?template=${id}`
  const cards =
    hasCards === true
      ? html`<p><a href="${list}">${t.usedCardsLink}</a></p>`
      : hasCards === false && html`<p class="hint">${t.usedCardsNone}</p>`
  return html`<section class="panel">
    <header><h2>${t.usedBy}</h2></header>
    <div class="inside">${cards}${asked}</div>
  </section>`
}
