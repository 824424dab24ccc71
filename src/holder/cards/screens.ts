import { walletCredentials } from '../../contract/wallet/credentials.ts'
import { history } from '../../contract/wallet/history.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { linesOf, shownPath } from '../../pages/claims/claims.ts'
import { shownValue } from '../../pages/claims/values.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card, facts, outcome } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import type { Credential, Details } from './api-types.ts'
import { besidesName, cardDay, cardFace, cardLook, cardRule, cardState, issuerName } from './card.ts'
import { checkAgain, lastCheck, withFreshStatus } from './check.ts'
import { historyList } from './history.ts'
import { historyPath, historyScreen } from './history-screen.ts'
import { home } from './home.ts'
import { linksOfCard } from './link-rows.ts'
import { earlierCards, newerNote } from './other-versions.ts'
import { type CardTexts, cardTexts } from './texts.ts'

const place = 'cards'

const CARD = '/me/cards/{id}'
type CardFrame = Frame<{ readonly id: string }>

const one = formScreen({
  place,
  path: CARD,
  summary: 'Shows a card: what it says, from whom, whether it is valid, and where it was shown.',
  show: (frame) => orRemoved(frame, () => cardPage(frame)),
  send: (frame) =>
    orRemoved(frame, async () => {
      if (typed(frame.fields, 'check') === '1') return checkAgain(frame)
      const status = typed(frame.fields, 'consent') === 'accepted' ? 'accepted' : 'rejected'
      const id = encodeURIComponent(frame.params.id)
      await frame.api.call(walletCredentials.setConsent, { params: { id }, body: { status } })
      return { to: status === 'accepted' ? `/me/cards/${id}?new=1` : '/me' }
    }),
})

async function cardPage(frame: CardFrame): Promise<Screen> {
  const t = cardTexts[frame.language]
  const id = encodeURIComponent(frame.params.id)
  const [{ data, meta }, shared] = await Promise.all([
    frame.api.call(walletCredentials.get, { params: { id } }),
    frame.api.call(history.list, {
      query: {
        'filter[credentialId]': frame.params.id,
        'filter[kind]': 'presentation',
        'page[size]': '10',
      },
    }),
  ])
  const about = await withFreshStatus(frame, meta)
  const { state, tone } = cardState(data, about, frame.now)
  // The state stands below it.
  const face = cardFace({ ...cardLook(frame, t, data, about), state: undefined })
  const { labels } = about.display
  const { lines, more } = linesOf(data.claims, labels)
  const values = lines.map(
    ({ path, value }) =>
      [shownPath(labels, path, frame.language), shownValue(value, frame.language, 'folded', { labels, path })] as const,
  )
  const canShare = data.format === 'vc+sd-jwt' && data.status === 'accepted' && state !== 'expired'
  const [links, earlier] = await Promise.all([linksOfCard(frame, data.id, canShare), earlierCards(frame, data)])
  const listed = historyList(frame, t, shared.data, shared.meta.credentials)
  const main = html`${frame.query.new === '1' && outcome('done', t.added)}${face}
  <p>${badge(t.states[state], tone)}</p>
  ${t.says[state] !== '' && html`<p>${t.says[state]}</p>`}
  ${newerNote(t, about)}
  ${lastCheck(frame, about)}${data.status !== 'accepted' && decision(frame, t, data)}
  ${card(html`${facts(values)}${more > 0 && html`<p class="hint">${t.more(more)}</p>`}`, t.content)}
  ${card(facts(factsOf(frame, t, about)), t.about)}
  ${links}${earlier}
  <section class="stack">
    <h2>${t.shown}</h2>
    ${shared.data.length === 0 ? html`<p>${t.neverShown}</p>` : listed}
    ${shared.links.next !== undefined && html`<p><a href="${historyPath({ card: data.id })}">${t.allShown}</a></p>`}
  </section>
  <p>${buttonLink(t.remove, `/me/cards/${data.id}/remove`)}</p>`
  return { title: about.display.name ?? t.unnamed, main, style: cardRule(data.id, about.display) }
}

function decision(frame: Frame, t: CardTexts, { id, status }: Credential): Html {
  const accept = button(t.accept, { look: 'main', name: 'consent', value: 'accepted' })
  const refuse = status === 'pending' && button(t.decline, { name: 'consent', value: 'rejected' })
  const content = html`<div class="buttons">${accept}${refuse}</div>`
  return form(frame, `/me/cards/${id}`, content)
}

function factsOf({ language, origin }: Frame, t: CardTexts, { display, standing, ...about }: Details) {
  const name = issuerName(display)
  const besides = besidesName(display, origin, t)
  const unlisted = standing === undefined ? [[t.status, t.notListed] as const] : []
  return [
    [t.from, besides === '' ? name : html`${name}<br><span class="hint">${besides}</span>`],
    [t.received, cardDay(about.receivedAt, language)],
    [t.since, cardDay(about.validFrom, language)],
    [t.validUntil, about.validUntil === null ? t.noEnd : cardDay(about.validUntil, language)],
    ...unlisted,
  ] as const
}

const remove = formScreen({
  place,
  path: `${CARD}/remove`,
  summary: 'Asks whether to remove a card, and removes it.',
  show: (frame) => orRemoved(frame, () => removePage(frame)),
  send: (frame) =>
    orRemoved(frame, async () => {
      await frame.api.call(walletCredentials.delete, { params: { id: frame.params.id } })
      return { to: '/me?removed=1' }
    }),
})

async function removePage(frame: CardFrame): Promise<Screen> {
  const t = cardTexts[frame.language]
  const path = `/me/cards/${encodeURIComponent(frame.params.id)}`
  const { meta } = await frame.api.call(walletCredentials.get, { params: { id: frame.params.id } })
  const { display } = meta
  const content = html`<div class="buttons">
    ${button(t.remove, { look: 'danger' })}
    ${buttonLink(frame.t.cancel, path)}
  </div>`
  const main = html`<p><b>${display.name ?? t.unnamed}</b> · ${issuerName(display)}</p>
  <p>${t.removeText}</p>
  ${form(frame, `${path}/remove`, content)}`
  return { title: t.removeTitle, main }
}

/** Says of a card that is not there any more that the person removed it: an answer was lost, or the page is older. */
async function orRemoved<T>(frame: CardFrame, show: () => Promise<T>): Promise<T | Screen> {
  try {
    return await show()
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 404) throw error
    const query = { 'filter[credentialId]': frame.params.id, 'filter[kind]': 'credential', 'page[size]': '1' }
    const { data } = await frame.api.call(history.list, { query })
    if (data[0]?.status !== 'removed') throw error
    const t = cardTexts[frame.language]
    const toHistory = buttonLink(t.historyTitle, historyPath({ card: frame.params.id }))
    const main = html`${outcome('done', t.gone)}<p class="buttons">${buttonLink(frame.t.back, '/me')}${toHistory}</p>`
    return { title: t.goneTitle, main, status: frame.fields.size > 0 ? 200 : 410 }
  }
}

function picture(kind: 'logo' | 'background' | 'card'): readonly Endpoint[] {
  return screen({
    place,
    path: `${CARD}/${kind}` as const,
    summary: 'Returns an image of a card, as kept from its receipt, or drawn from it.',
    show: async ({ api, params }) => {
      const { data } = await api.call(walletCredentials.getImage, { params: { id: params.id, kind } })
      // A drawn card has values: nothing personal is kept on the device.
      const cache = kind === 'card' ? 'no-store' : 'private, max-age=86400'
      const headers = { 'cache-control': cache, 'cross-origin-resource-policy': 'same-origin' }
      return { file: Buffer.from(data.data, 'base64'), type: data.mediaType, headers }
    },
  })
}

/** Cards and history. */
export const cardScreens: readonly Endpoint[] = [
  ...home,
  ...one,
  ...remove,
  ...picture('logo'),
  ...picture('background'),
  ...picture('card'),
  ...historyScreen,
]
