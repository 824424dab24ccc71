import type { Endpoint } from '../../http/routes/endpoint.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card, facts, message } from '../../pages/parts.ts'
import { badge, pageOf, pager } from '../../pages/table.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import type { Credential, Details, HistoryEntry, Verifier } from './api-types.ts'
import { cardFace, cardRule, day, dayText, issuerName, stateOf } from './card.ts'
import { checkAgain, lastCheck, withFreshStatus } from './check.ts'
import { linesOf, shownPath } from './claims.ts'
import { historyList } from './history.ts'
import { type CardTexts, cardTexts } from './texts.ts'
import { shownValue, valueText } from './values.ts'
import { verifierName } from './verifier-name.ts'

const API = '/wallet/v2'
const place = 'cards'
/** The face of a card shows two of these values. */
const FACE_LINES = 20

type Listed = Readonly<Record<string, Details>>
type Asked = { readonly id: string; readonly status: string }
type Summary = { readonly verifier: Verifier; readonly expiresAt: string; readonly disclosed: 'yes' | 'no' | 'unknown' }
type Summaries = Readonly<Record<string, Summary>>

const home = screen({
  ...{ place, path: '/me', summary: 'Shows the cards of a person, and what waits for an answer.' },
  show: async (frame) => {
    const t = cardTexts[frame.language]
    const [held, asked] = await Promise.all([
      frame.api.get<readonly Credential[]>(`${API}/credentials`, pageOf(frame.query)),
      frame.api.get<readonly Asked[]>(`${API}/presentations`, { 'filter[status]': 'pending', 'page[size]': '5' }),
    ])
    // The `meta` that these routes promise.
    const [details, summaries] = [held.meta.credentials as Listed, asked.meta.presentations as Summaries]
    const shown = held.data.flatMap((one) => {
      const about = details[one.id]
      return about === undefined || one.status === 'rejected' ? [] : [{ one, about }]
    })
    const accepted = shown.filter(({ one }) => one.status === 'accepted')
    const waiting = html`${shown.filter(({ one }) => one.status === 'pending').map(({ one, about }) => offered(t, one, about))}${asked.data.map(({ id }) => asks(frame, t, id, summaries[id]))}`
    const cards = accepted.map(({ one, about }) =>
      cardFace({ ...faceOf(frame, t, one, about), href: `/me/cards/${one.id}` }),
    )
    const main = html`${frame.query.removed === '1' && message('done', t.removed)}${waiting.text !== '' && html`<section class="stack" aria-label="${t.waiting}">${waiting}</section>`}
${cards.length > 0 ? html`<ul class="cards">${cards.map((one) => html`<li>${one}</li>`)}</ul>` : html`<p class="empty">${t.empty}</p>`}
${pager(frame.texts, held.links, frame.here)}<div class="bottom"><a class="button main" href="/me/scan">${t.scan}</a></div>`
    const style = accepted.map(({ one, about }) => cardRule(one.id, about.display)).join('')
    return { title: t.title, main, style }
  },
})

/** The state of a card is said on its face where it is not valid. */
function faceOf({ language, now, origin }: Frame, t: CardTexts, one: Credential, about: Details) {
  const { state } = stateOf(one, about, now)
  const { id } = one
  const line =
    about.validUntil === null
      ? firstValues(one, about, language)
      : `${t.validUntil} ${dayText(about.validUntil, language)}`
  return { id, display: about.display, line, language, origin, state: state === 'valid' ? undefined : t.states[state] }
}

function firstValues({ claims }: Credential, { display }: Details, language: Frame['language']): string {
  const { lines } = linesOf(claims, display.labels, FACE_LINES)
  const values = lines.map(({ value }) => valueText(value, language)).filter((value) => value.length <= 40)
  return values.slice(0, 2).join(' · ')
}

function offered(t: CardTexts, { id }: Credential, { display }: Details): Html {
  return html`<div class="message note"><h2>${t.offers(issuerName(display))}</h2><p>${display.name ?? t.unnamed}</p><p><a href="/me/cards/${id}">${t.view}</a></p></div>`
}

function asks({ language }: Frame, t: CardTexts, id: string, about: Summary | undefined): Html {
  if (about === undefined) return html``
  // The person has answered; only the verifier has not.
  const isUnconfirmed = about.disclosed === 'unknown'
  const [kind, title, link] = isUnconfirmed ? ['warn', t.noAnswer, t.sendAgain] : ['note', t.asks, t.view]
  return html`<div class="message ${kind}"><h2>${title(verifierName(about.verifier))}</h2>${isUnconfirmed && html`<p>${t.noAnswerText}</p>`}<p>${t.expires} ${moment(about.expiresAt, language)}</p><p><a href="/me/asked/${id}">${link}</a></p></div>`
}

const CARD = '/me/cards/{id}'
type CardFrame = Frame<{ readonly id: string }>

const one = formScreen({
  ...{
    place,
    path: CARD,
    summary: 'Shows a card: what it says, from whom, whether it is valid, and where it was shown.',
  },
  show: (frame) => orRemoved(frame, () => cardPage(frame)),
  send: (frame) =>
    orRemoved(frame, async () => {
      if (typed(frame.fields, 'check') === '1') return checkAgain(frame)
      const status = typed(frame.fields, 'consent') === 'accepted' ? 'accepted' : 'rejected'
      const id = encodeURIComponent(frame.params.id)
      await frame.api.send('PATCH', `${API}/credentials/${id}`, { body: { status } })
      return { to: status === 'accepted' ? `/me/cards/${id}?new=1` : '/me' }
    }),
})

async function cardPage(frame: CardFrame): Promise<Screen> {
  const t = cardTexts[frame.language]
  const id = encodeURIComponent(frame.params.id)
  const [{ data, meta }, history] = await Promise.all([
    frame.api.get<Credential>(`${API}/credentials/${id}`),
    frame.api.get<readonly HistoryEntry[]>(`${API}/history`, {
      ...{ 'filter[credentialId]': frame.params.id, 'filter[kind]': 'presentation', 'page[size]': '10' },
    }),
  ])
  // The `meta` that the route promises.
  const about = await withFreshStatus(frame, meta as unknown as Details)
  const { state, tone } = stateOf(data, about, frame.now)
  // The state stands below it.
  const face = cardFace({ ...faceOf(frame, t, data, about), state: undefined })
  const { labels } = about.display
  const { lines, more } = linesOf(data.claims, labels)
  const values = lines.map(
    ({ path, value }) =>
      [shownPath(labels, path, frame.language), shownValue(value, frame.language, 'folded', { labels, path })] as const,
  )
  const main = html`${frame.query.new === '1' && message('done', t.added)}${face}
<p>${badge(t.states[state], tone)}</p>${t.says[state] !== '' && html`<p>${t.says[state]}</p>`}${lastCheck(frame, about)}${data.status !== 'accepted' && decision(frame, t, data)}
${card(html`${facts(values)}${more > 0 && html`<p class="hint">${t.more(more)}</p>`}`, t.content)}
${card(facts(factsOf(frame, t, about)), t.about)}
<section class="stack"><h2>${t.shown}</h2>${history.data.length === 0 ? html`<p>${t.neverShown}</p>` : historyList(frame, t, history.data, history.meta)}</section>
<p>${buttonLink(t.remove, `/me/cards/${data.id}/remove`)}</p>`
  return { title: about.display.name ?? t.unnamed, main, style: cardRule(data.id, about.display) }
}

function decision(frame: Frame, t: CardTexts, { id, status }: Credential): Html {
  const refuse = status === 'pending' && button(t.decline, { name: 'consent', value: 'rejected' })
  const content = html`<div class="buttons">${button(t.accept, { look: 'main', name: 'consent', value: 'accepted' })}${refuse}</div>`
  return form(frame, `/me/cards/${id}`, content)
}

function factsOf({ language }: Frame, t: CardTexts, { display, standing, ...about }: Details) {
  const { identifier } = display.issuer
  const host = URL.parse(identifier)?.host ?? identifier
  const name = issuerName(display)
  const unlisted = standing === undefined ? [[t.status, t.notListed] as const] : []
  return [
    [t.from, name === host ? name : html`${name}<br><span class="hint">${host}</span>`],
    [t.received, day(about.receivedAt, language)],
    [t.since, day(about.validFrom, language)],
    [t.validUntil, about.validUntil === null ? t.noEnd : day(about.validUntil, language)],
    ...unlisted,
  ] as const
}

const remove = formScreen({
  ...{ place, path: `${CARD}/remove`, summary: 'Asks whether to remove a card, and removes it.' },
  show: (frame) => orRemoved(frame, () => removePage(frame)),
  send: (frame) =>
    orRemoved(frame, async () => {
      await frame.api.send('DELETE', `${API}/credentials/${encodeURIComponent(frame.params.id)}`)
      return { to: '/me?removed=1' }
    }),
})

async function removePage(frame: CardFrame): Promise<Screen> {
  const t = cardTexts[frame.language]
  const path = `/me/cards/${encodeURIComponent(frame.params.id)}`
  const { meta } = await frame.api.get<Credential>(`${API}/credentials/${encodeURIComponent(frame.params.id)}`)
  // The `meta` that the route promises.
  const { display } = meta as unknown as Details
  const content = html`<div class="buttons">${button(t.remove, { look: 'danger' })}${buttonLink(frame.t.cancel, path)}</div>`
  const main = html`<p><b>${display.name ?? t.unnamed}</b> · ${issuerName(display)}</p><p>${t.removeText}</p>${form(frame, `${path}/remove`, content)}`
  return { title: t.removeTitle, main }
}

/** Says of a card that is not there any more that the person removed it: an answer was lost, or the page is older. */
async function orRemoved<T>(frame: CardFrame, show: () => Promise<T>): Promise<T | Screen> {
  try {
    return await show()
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 404) throw error
    const query = { 'filter[credentialId]': frame.params.id, 'filter[kind]': 'credential', 'page[size]': '1' }
    const { data } = await frame.api.get<readonly HistoryEntry[]>(`${API}/history`, query)
    if (data[0]?.status !== 'removed') throw error
    const t = cardTexts[frame.language]
    const main = html`${message('done', t.gone)}<p class="buttons">${buttonLink(frame.t.back, '/me')}${buttonLink(t.historyTitle, '/me/history')}</p>`
    return { title: t.goneTitle, main, status: frame.fields.size > 0 ? 200 : 410 }
  }
}

type CardImage = { readonly mediaType: string; readonly data: string }

function picture(kind: 'logo' | 'background' | 'card'): readonly Endpoint[] {
  return screen({
    ...{
      place,
      path: `${CARD}/${kind}` as const,
      summary: 'Returns an image of a card, as kept from its receipt, or drawn from it.',
    },
    show: async ({ api, params }) => {
      const { data } = await api.get<CardImage>(`${API}/credentials/${encodeURIComponent(params.id)}/images/${kind}`)
      // A drawn card has values: nothing personal is kept on the device.
      const cache = kind === 'card' ? 'no-store' : 'private, max-age=86400'
      const headers = { 'cache-control': cache, 'cross-origin-resource-policy': 'same-origin' }
      return { file: Buffer.from(data.data, 'base64'), type: data.mediaType, headers }
    },
  })
}

const history = screen({
  ...{ place: 'history', path: '/me/history', summary: 'Shows what came and what left.' },
  show: async (frame) => {
    const t = cardTexts[frame.language]
    const { data, meta, links } = await frame.api.get<readonly HistoryEntry[]>(`${API}/history`, pageOf(frame.query))
    const main =
      data.length === 0
        ? html`<p class="empty">${t.historyEmpty}</p>`
        : html`${historyList(frame, t, data, meta)}${pager(frame.texts, links, frame.here)}`
    return { title: t.historyTitle, main }
  },
})

/** Cards and history. */
export const cardScreens: readonly Endpoint[] = [
  ...home,
  ...one,
  ...remove,
  ...picture('logo'),
  ...picture('background'),
  ...picture('card'),
  ...history,
]
