import type { MetaOf } from '../../contract/api-operation.ts'
import { walletCredentials } from '../../contract/wallet/credentials.ts'
import { presentations } from '../../contract/wallet/presentations.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { outcome } from '../../pages/parts.ts'
import { pageOf, pager } from '../../pages/table.ts'
import { type Frame, screen } from '../frame/screen.ts'
import type { Credential, Details } from './api-types.ts'
import { cardFace, cardLook, cardRule, cardState, dayText, issuerName } from './card.ts'
import { historyPath } from './history-screen.ts'
import { type CardTexts, cardTexts } from './texts.ts'
import { verifierName } from './verifier-name.ts'

const place = 'cards'
/** Of each kind of what waits; the history has the rest. */
const WAITING_MAX = '5'

type Summary = MetaOf<typeof presentations.list>['presentations'][string]

/** The cards of a person, and what waits: five of each kind, with a link to all. */
export const home = screen({
  place,
  path: '/me',
  summary: 'Shows the cards of a person, and what waits for an answer.',
  show: async (frame) => {
    const t = cardTexts[frame.language]
    const pending = { 'filter[status]': 'pending', 'page[size]': WAITING_MAX }
    const [held, offers, asked] = await Promise.all([
      frame.api.call(walletCredentials.list, {
        query: {
          'filter[status]': 'accepted',
          // An earlier card is found on the page of the one that took its place, and in the history.
          'filter[superseded]': 'false',
          ...pageOf(frame.query),
        },
      }),
      frame.api.call(walletCredentials.list, { query: pending }),
      frame.api.call(presentations.list, { query: pending }),
    ])
    const summaries = asked.meta.presentations
    const accepted = describedOf(held)
    const hasMore = [offers, asked].some(({ links }) => links.next !== undefined)
    const more = hasMore && html`<p><a href="${historyPath({ status: 'pending' })}">${t.allWaiting}</a></p>`
    const toTake = describedOf(offers).map(({ one, about }) => offered(t, one, about))
    const toAnswer = asked.data.map(({ id }) => asks(frame, t, id, summaries[id]))
    const toRenew = accepted.map(({ one, about }) => ending(frame, t, one, about))
    const waiting = html`${toTake}${toAnswer}${more}${toRenew}`
    const cards = accepted.map(({ one, about }) =>
      cardFace({ ...cardLook(frame, t, one, about), href: `/me/cards/${one.id}` }),
    )
    const list = html`<ul class="cards">${cards.map((one) => html`<li>${one}</li>`)}</ul>`
    const main = html`${frame.query.removed === '1' && outcome('done', t.removed)}
    ${waiting.text !== '' && html`<section class="stack" aria-label="${t.waiting}">${waiting}</section>`}
    ${cards.length > 0 ? list : html`<p class="empty">${t.empty}</p>`}
    ${pager(frame.texts, held.links, frame.here)}
    <div class="bottom"><a class="button main" href="/me/scan">${t.scan}</a></div>`
    const style = accepted.map(({ one, about }) => cardRule(one.id, about.display)).join('')
    return { title: t.title, main, style }
  },
})

type CredentialPage = {
  readonly data: readonly Credential[]
  readonly meta: MetaOf<typeof walletCredentials.list>
}

function describedOf({ data, meta }: CredentialPage) {
  const { credentials } = meta
  return data.flatMap((one) => {
    const about = credentials[one.id]
    return about === undefined ? [] : [{ one, about }]
  })
}

function offered(t: CardTexts, { id }: Credential, { display }: Details): Html {
  return html`<div class="message note">
    <h2>${t.offers(issuerName(display))}</h2>
    <p>${display.name ?? t.unnamed}</p>
    <p><a href="/me/cards/${id}">${t.view}</a></p>
  </div>`
}

/** Says of a card that it ends soon. */
function ending({ language, now }: Frame, t: CardTexts, one: Credential, about: Details): Html {
  const { display, validUntil } = about
  if (validUntil === null || cardState(one, about, now).state !== 'ending') return html``
  const issuer = issuerName(display)
  return html`<div class="message warn">
    <h2>${t.endsOn(display.name ?? t.unnamed, issuer, dayText(validUntil, language))}</h2>
    <p>${t.endsOnText(issuer)}</p>
    <p><a href="/me/cards/${one.id}">${t.view}</a></p>
  </div>`
}

function asks({ language, me }: Frame, t: CardTexts, id: string, about: Summary | undefined): Html {
  if (about === undefined) return html``
  // The person has answered; only the verifier has not.
  const isUnconfirmed = about.disclosed === 'unknown'
  const [kind, title, link] = isUnconfirmed ? ['warn', t.noAnswer, t.sendAgain] : ['note', t.asks, t.view]
  return html`<div class="message ${kind}">
    <h2>${title(verifierName(about.verifier))}</h2>
    ${isUnconfirmed && html`<p>${t.noAnswerText}</p>`}
    <p>${t.expires} ${moment(about.expiresAt, language, me.organisation.timeZone)}</p>
    <p><a href="/me/asked/${id}">${link}</a></p>
  </div>`
}
