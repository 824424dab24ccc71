import type { ReplyOf } from '../../contract/api-operation.ts'
import type { statistics } from '../../contract/events/statistics.ts'
import type { Language } from '../../contract/languages.ts'
import { type Html, html } from '../../pages/html.ts'
import { figure } from '../../pages/moment-text.ts'
import { badge, type Tone } from '../../pages/table.ts'
import type { HomeTexts } from './texts.ts'

type Need = keyof HomeTexts['needs']

/** The figures of the organisation, as the API returns them. */
export type Overview = ReplyOf<typeof statistics.getOverview>

const looks: Readonly<Record<Need, { readonly tone: Tone; readonly href: string }>> = {
  deferredIssuances: { tone: 'warn', href: '/console/credentials?state=deferred' },
  endingCredentials: { tone: 'warn', href: '/console/credentials?state=ending' },
  failedBatches: { tone: 'bad', href: '/console/batches?status=failed' },
  endingCertificates: { tone: 'warn', href: '/console/certificates' },
  disabledEndpoints: { tone: 'bad', href: '/console/webhooks' },
  failedOfferMails: { tone: 'bad', href: '/console/credentials?state=mailFailed' },
  unverifiableStatusLists: { tone: 'bad', href: '/console/certificates' },
  endingSecrets: { tone: 'warn', href: '/console/applications' },
  failedDeliveries: { tone: 'bad', href: '/console/audit?action=wallet_delivery.failed' },
}

/** Returns what a person has to look into, each with the way to it. */
export function needsYou({ needsAttention, ending = 0 }: Overview, t: HomeTexts, language: Language): Html {
  const needs = { ...needsAttention, endingCredentials: ending }
  // The names of the table above.
  const found = (Object.keys(looks) as Need[]).flatMap((need) => {
    const count = needs[need] ?? 0
    return count === 0 ? [] : [{ need, count }]
  })
  const items = found.map(({ need, count }) => {
    const { tone, href } = looks[need]
    const { state, text, action } = t.needs[need]
    return html`<li>
      ${badge(state, tone)}
      <span>${text(figure(count, language), count)}</span>
      <a href="${href}">${action}</a>
    </li>`
  })
  const list =
    items.length === 0 ? html`<p class="inside">${t.nothingNeeded}</p>` : html`<ul class="needs">${items}</ul>`
  const many =
    items.length > 0 && html`<span class="hint">${t.things(figure(items.length, language), items.length)}</span>`
  return html`<section class="panel"><header><h2>${t.needsYou}</h2>${many}</header>${list}</section>`
}
