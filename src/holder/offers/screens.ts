import type { MetaOf, ReplyOf } from '../../contract/api-operation.ts'
import { walletCredentials } from '../../contract/wallet/credentials.ts'
import { issuanceSessions } from '../../contract/wallet/issuance-sessions.ts'
import { offers } from '../../contract/wallet/offers.ts'
import { presentations } from '../../contract/wallet/presentations.ts'
import { sha256Base64url } from '../../crypto/digest.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { asset } from '../../pages/assets.ts'
import { hidden, textArea } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { onceField, onceHeader, typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { cameraHeaders } from '../../pages/page-headers.ts'
import { button, buttonLink, card, message, outcome } from '../../pages/parts.ts'
import { badge } from '../../pages/table.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { cardFace, cardRule } from '../cards/card.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import { whyKnown } from '../trust/why-known.ts'
import { offerInQuery, readLink, tenantOfLink } from './read-link.ts'
import { codeProblemOf, endedPage, isEnded, takenPage, toldRefusal, underwayPage } from './refusals.ts'
import { type OfferTexts, offerTexts } from './texts.ts'

/** A link may carry a whole offer. */
const BODY_BYTES_MAX = 262_144

/** An offer before it is accepted, as the API resolves it. */
type Offer = ReplyOf<typeof offers.resolve>
/** What is known of it besides what its issuer states. */
type OfferMeta = MetaOf<typeof offers.resolve>

const open = formScreen({
  place: 'scan' as const,
  path: '/open',
  bodyBytesMax: BODY_BYTES_MAX,
  summary: 'Sorts a link of any scheme: shows the offer, or leads to the request. Never leads to where the link says.',
  tenantHint: ({ query, fields, origin }) => tenantOfLink(givenLink({ query, fields }), origin),
  show: (frame) => openLink(frame, givenLink(frame)),
  send: (frame) => openLink(frame, typed(frame.fields, 'u')),
})

const offered = screen({
  place: 'scan' as const,
  path: '/offer',
  summary: 'Shows an offer whose members stand in its address, as in the https form of an offer link.',
  tenantHint: ({ query, origin }) => tenantOfLink(offerInQuery(query), origin),
  show: (frame) => openLink(frame, offerInQuery(frame.query)),
})

/** The link of an address, of what another app shares, or of a form. */
function givenLink({ query, fields }: Pick<Frame, 'query' | 'fields'>): string {
  return query.u ?? query.text ?? query.url ?? typed(fields, 'u')
}

async function openLink(frame: Frame, given: string): Promise<Screen | { readonly to: string }> {
  const t = offerTexts[frame.language]
  if (given === '') return nothing(frame, t.nothing, '')
  const link = readLink(given, frame.origin)
  if (link.kind === 'offer') return offerPage(frame, link.offer)
  if (link.kind === 'unknown') return nothing(frame, t.unknown, link.text)
  if (link.kind === 'page') return { to: link.path }
  return openRequest(frame, link.request)
}

async function openRequest(frame: Frame, request: string): Promise<Screen | { readonly to: string }> {
  try {
    // One request by one person is fetched once, however often its page is loaded again.
    const key = sha256Base64url(`${frame.me.id} ${request}`).slice(0, 22)
    const body = { presentationRequest: request }
    const headers = { 'idempotency-key': key }
    const { data } = await frame.api.call(presentations.prepare, { body, headers })
    return { to: `/me/asked/${data.id}` }
  } catch (error) {
    return toldRefusal(frame, error, 'request')
  }
}

function nothing(frame: Frame, [title = '', advice = '']: readonly string[], text: string): Screen {
  const t = offerTexts[frame.language]
  const main = html`${outcome('bad', advice)}
  ${text !== '' && html`<p class="secret" dir="ltr">${foreignText(text, 500)}</p>`}
  <p class="buttons">${buttonLink(t.scanTitle, '/me/scan')}${buttonLink(t.back, '/me')}</p>`
  return { title, main, hasErrors: true, status: 404 }
}

/** What was wrong with the code. */
type CodeProblem = { readonly code: string; readonly error: string }

async function offerPage(frame: Frame, offer: string, wrong?: CodeProblem): Promise<Screen> {
  const t = offerTexts[frame.language]
  try {
    const body = { credentialOffer: offer }
    const { data, meta } = await frame.api.call(offers.resolve, { body })
    const { takenCredentials, authorization } = data
    const isTaken = meta.offer?.state === 'taken'
    // An offer with a sign-in may be used again until it was taken.
    if (takenCredentials.length > 0 && (isTaken || authorization === 'preAuthorized'))
      return takenPage(frame, takenCredentials)
    if (meta.isBeingRedeemed === true) return underwayPage(t)
    if (isTaken)
      return endedPage(frame, { state: 'taken', issuer: foreignText(meta.offer?.issuerName ?? hostOf(data), 100) })
    return shownOffer(frame, t, offer, { data, meta }, wrong)
  } catch (error) {
    return toldRefusal(frame, error, 'open')
  }
}

const hostOf = ({ credentialIssuer }: Pick<Offer, 'credentialIssuer'>) => URL.parse(credentialIssuer)?.host ?? ''
const kinds = { own: 'own', trusted_entity: 'known', unknown: 'unknown' } as const
type Resolved = { readonly data: Offer; readonly meta: OfferMeta }

function shownOffer(frame: Frame, t: OfferTexts, offer: string, { data, meta }: Resolved, wrong?: CodeProblem): Screen {
  const host = hostOf(data)
  const isKnown = data.trust !== 'unknown'
  // A stranger is called by its address: anybody can choose a name.
  const stated = data.credentials[0]?.shown.issuer.name ?? null
  const name = isKnown ? (stated ?? host) : host
  const faces = data.credentials.slice(0, 8).map(({ shown }, index) => ({ id: `new-${index}`, shown }))
  const cards = faces.map(({ id, shown }) =>
    cardFace({
      id,
      display: { ...shown, images: [] },
      line: shown.description ?? '',
      language: frame.language,
      origin: frame.origin,
    }),
  )
  const labels = [...new Set(data.credentials.flatMap(({ shown }) => shown.labels.map((one) => one.name)))]
  const { timeZone } = frame.me.organisation
  const end = data.expiresAt !== null && moment(data.expiresAt, frame.language, timeZone)
  const main = html`<div class="who">
    <p>${badge(t.trust[data.trust], isKnown ? 'ok' : 'warn')} <span>${host}</span></p>
    ${whyKnown(frame.language, kinds[data.trust], meta.trust)}
  </div>
  ${!isKnown && message('warn', t.unknownAdvice)}${cards}
  ${end && html`<p>${t.expires} ${end}</p>`}
  ${labels.length > 0 && card(html`<p>${labels.slice(0, 40).join(', ')}</p>`, t.says)}
  ${acceptForm(frame, t, offer, data, host, wrong)}`
  return {
    title: t.title(name),
    main,
    style: faces.map(({ id, shown }) => cardRule(id, { ...shown, images: [] })).join(''),
    ...(wrong !== undefined && { hasErrors: true }),
  }
}

function acceptForm(frame: Frame, t: OfferTexts, offer: string, data: Offer, host: string, wrong?: CodeProblem): Html {
  const common = html`${hidden('u', offer)}${onceField(wrong === undefined ? frame.fields : new Map())}`
  if (data.authorization === 'code') {
    const content = html`${common}${hidden('way', 'sign-in')}<p>${t.signInAdvice(host)}</p>
    <div class="buttons decide">${button(t.signIn(host), { look: 'main' })}${buttonLink(t.not, '/me')}</div>`
    return form(frame, '/me/offers', content)
  }
  const field = data.txCode === null ? null : codeField(t, data.txCode, wrong)
  const text = data.credentials.length > 1 ? t.takeMany : t.take
  const content = html`${common}${field}
  <div class="buttons decide">${button(text, { look: 'main' })}${buttonLink(t.not, '/me')}</div>`
  return form(frame, '/me/offers', content)
}

function codeField(t: OfferTexts, code: NonNullable<Offer['txCode']>, wrong?: CodeProblem): Html {
  const { inputMode, length, description } = code
  const isDigits = inputMode === 'numeric'
  const size = length === null ? '' : isDigits ? t.codeHint.digits(length) : t.codeHint.characters(length)
  const hint = `${foreignText(description, 200) ?? t.codeHint.any} ${size}`
  const error = wrong !== undefined && html`<p class="error" id="code-error">${wrong.error}</p>`
  const invalid = wrong !== undefined && html` aria-invalid="true" autofocus`
  return html`<div class="field${wrong !== undefined && ' wrong'}">
    <label for="code">${t.code}</label>
    <p class="hint" id="code-hint">${hint}</p>
    ${error}
    <input id="code" name="code" type="text" inputmode="${isDigits ? 'numeric' : 'text'}"
      autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="255" required
      aria-describedby="code-hint${wrong !== undefined && ' code-error'}"${invalid}>
  </div>`
}

const sent = formScreen({
  place: 'scan' as const,
  path: '/me/offers',
  bodyBytesMax: BODY_BYTES_MAX,
  summary: 'Takes an offer: here, or after a sign-in at its issuer.',
  show: (frame) => {
    const offer = typed(frame.fields, 'u')
    return offer === '' ? { to: '/me' } : offerPage(frame, offer)
  },
  send: (frame) => (typed(frame.fields, 'way') === 'sign-in' ? signInAtIssuer(frame) : takeOffer(frame)),
})

async function takeOffer(frame: Frame): Promise<Screen | { readonly to: string }> {
  const t = offerTexts[frame.language]
  const offer = typed(frame.fields, 'u')
  const code = typed(frame.fields, 'code')
  const headers = onceHeader(frame.fields)
  try {
    const body = { credentialOffer: offer, ...(code !== '' && { txCode: code.trim() }) }
    const { data, meta } = await frame.api.call(offers.accept, { body, headers })
    // The person saw the offer and took it: that is the consent.
    const accept = { body: { status: 'accepted' } }
    await Promise.all(data.map(({ id }) => frame.api.call(walletCredentials.setConsent, { params: { id }, ...accept })))
    if ((meta.deferred ?? []).length > 0) return later(t)
    const [first] = data
    return { to: data.length === 1 && first !== undefined ? `/me/cards/${first.id}?new=1` : '/me' }
  } catch (error) {
    if (!(error instanceof ApiRefusal)) return toldRefusal(frame, error, 'take')
    if (error.errors[0]?.code === 'TX_CODE_REQUIRED') return offerPage(frame, offer, { code, error: t.codeForm })
    const problem = codeProblemOf(error)
    if (problem !== null && problem.triesLeft !== 0 && !isEnded(error))
      return offerPage(frame, offer, { code, error: t.codeWrong(problem.triesLeft) })
    return toldRefusal(frame, error, 'take')
  }
}

function later(t: OfferTexts): Screen {
  const [title = '', advice = ''] = t.later
  return { title, main: html`${outcome('done', advice)}<p>${buttonLink(t.back, '/me')}</p>` }
}

async function signInAtIssuer(frame: Frame): Promise<Screen | { readonly to: string } | { readonly leaveFor: string }> {
  try {
    const body = { credentialOffer: typed(frame.fields, 'u') }
    const headers = onceHeader(frame.fields)
    const { data } = await frame.api.call(issuanceSessions.create, { body, headers })
    return data.authorizationUrl === null ? { to: '/me' } : { leaveFor: data.authorizationUrl }
  } catch (error) {
    return toldRefusal(frame, error, 'open')
  }
}

const scan = formScreen({
  place: 'scan' as const,
  path: '/me/scan',
  bodyBytesMax: BODY_BYTES_MAX,
  summary: 'Reads a code with the camera or from a picture, or takes a pasted link.',
  show: (frame) => scanPage(frame),
  send: (frame) => openLink(frame, typed(frame.fields, 'u')),
})

function scanPage(frame: Frame): Screen {
  const t = offerTexts[frame.language]
  const element = html`<scan-code decoder="${asset('jsqr.js').path}"
    refused="${t.refused}" absent="${t.absent}" nothing="${t.none}" looking="${t.looking}">
    <button type="button" class="button main">${t.camera}</button>
    <video muted playsinline aria-hidden="true"></video>
    <p role="status"></p>
    <div class="field">
      <label for="picture">${t.picture}</label>
      <input id="picture" type="file" accept="image/*">
    </div>
  </scan-code>`
  const paste = { name: 'u', label: t.paste, hint: t.pasteHint, value: typed(frame.fields, 'u'), lengthMax: 65_536 }
  const content = html`${textArea(frame, paste)}<div class="buttons">${button(t.open)}</div>`
  const main = html`${element}<noscript><p class="hint">${t.plainScan}</p></noscript>
  ${form(frame, '/open', content)}`
  return { title: t.scanTitle, main, modules: ['scan-code'], headers: cameraHeaders }
}

/** Offers, links and the scan. */
export const offerScreens: readonly Endpoint[] = [...open, ...offered, ...sent, ...scan]
