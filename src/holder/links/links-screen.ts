import { PDF } from '../../contract/media-types.ts'
import { linkDocument, sharedLinks } from '../../contract/wallet/card-links.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { typed } from '../../pages/once.ts'
import { button, buttonLink, card, facts, outcome } from '../../pages/parts.ts'
import { pageOf, pager } from '../../pages/table.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { Display } from '../cards/api-types.ts'
import { namesOf } from '../cards/history.ts'
import { type Link, linkRows, linkState, recipientOf } from '../cards/link-rows.ts'
import { holderLinkTexts } from '../cards/link-texts.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'

const place = 'cards'
const TEXT_CHARS = 500

const list = screen({
  place,
  path: '/me/links',
  summary: 'Lists the links by which a person shows cards, with how often each was opened.',
  show: async (frame) => {
    const t = holderLinkTexts[frame.language]
    const { data, meta, links } = await frame.api.call(sharedLinks.list, { query: pageOf(frame.query) })
    const shown =
      data.length === 0
        ? html`<p class="empty">${t.empty}</p>`
        : html`${linkRows(frame, data, meta.credentials)}${pager(frame.texts, links, frame.here)}`
    const done = frame.query.ended === '1' && outcome('done', t.endDone)
    return { title: t.mine, main: html`${done}${shown}<p class="buttons">${buttonLink(frame.t.back, '/me')}</p>` }
  },
})

const one = formScreen({
  place,
  path: '/me/links/{id}',
  summary: 'Shows a link: for whom, what it shows, how often and when it was opened; and ends it.',
  show: async (frame) => onePage(frame),
  send: async (frame) => {
    if (typed(frame.fields, 'end') !== '1') return onePage(frame)
    await frame.api.call(sharedLinks.end, { params: { id: frame.params.id } })
    return { to: '/me/links?ended=1' }
  },
})

async function onePage(frame: Frame<{ readonly id: string }>): Promise<Screen> {
  const { language, api, params, me } = frame
  const { timeZone } = me.organisation
  const t = holderLinkTexts[language]
  const { data } = await api.call(sharedLinks.get, { params: { id: params.id } })
  const query = { 'filter[credentialId]': data.credentialId, 'page[size]': '1' }
  const { meta } = await api.call(sharedLinks.list, { query })
  const hours = data.viewsByHour.map(
    ({ hour, views }) => html`<li>${moment(hour, language, timeZone)}: ${t.hour(views)}</li>`,
  )
  const endButton = button(t.end, { look: 'danger', name: 'end', value: '1' })
  const end = html`<p>${t.endText}</p>${form(frame, `/me/links/${data.id}`, endButton)}`
  const main = html`${linkCard(frame, data, meta.credentials[data.credentialId])}
  ${hours.length > 0 && card(html`<ul class="list">${hours}</ul>`, t.byHour)}
  ${data.status === 'active' && card(end, t.endTitle)}
  <p class="buttons">${buttonLink(t.mine, '/me/links')}</p>`
  return { title: t.for(recipientOf(data)), main }
}

/** The address is known to the page that shows it alone, which sends it here. */
const document = formScreen({
  place,
  path: '/me/links/{id}/card.pdf',
  summary: 'Returns a link as PDF, to print or to send.',
  show: ({ params }) => ({ to: `/me/links/${params.id}` }),
  send: async ({ api, params, fields, language }) => {
    const asked = { params: { id: params.id }, query: { language }, body: { address: typed(fields, 'address') } }
    return { file: await api.stream(linkDocument, PDF, asked), type: PDF, name: 'card.pdf' }
  },
})

/** Returns a link with all that its holder may know of it. @param display Of its card; absent: it was removed. */
export function linkCard({ language, me }: Frame, link: Link, display: Display | undefined): Html {
  const t = holderLinkTexts[language]
  const { purpose, views, viewedAt, createdAt, expiresAt } = link
  const { timeZone } = me.organisation
  const told = facts([
    [t.recipient, recipientOf(link)],
    [t.purpose, foreignText(purpose, TEXT_CHARS) ?? '–'],
    [t.choose, namesIn(link, display)],
    [t.made, moment(createdAt, language, timeZone)],
    [t.ends, moment(expiresAt, language, timeZone)],
    [t.views(views), viewedAt === undefined ? '–' : moment(viewedAt, language, timeZone)],
  ])
  return card(html`<p>${linkState(t, link)}</p>${told}`)
}

function namesIn({ claims }: Link, display: Display | undefined): string {
  return namesOf({ matchedAttributes: claims, alsoDisclosed: [] }, display).join(', ') || '–'
}

/** The links of a person. */
export const linkScreens: readonly Endpoint[] = [...list, ...one, ...document]
