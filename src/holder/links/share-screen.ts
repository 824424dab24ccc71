import { qrAnswer } from '../../api/qr-image.ts'
import type { ReplyOf } from '../../contract/api-operation.ts'
import { shareableClaims, sharedLinkSeconds, sharedLinks } from '../../contract/wallet/card-links.ts'
import { walletCredentials } from '../../contract/wallet/credentials.ts'
import { parseJson } from '../../crypto/json.ts'
import { shownPath } from '../../pages/claims/claims.ts'
import { shownValue } from '../../pages/claims/values.ts'
import { choicesIn, hidden, select } from '../../pages/controls.ts'
import { errorSummary, type Field, field, form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { typed } from '../../pages/once.ts'
import { ApiRefusal } from '../../pages/own-api.ts'
import { button, buttonLink, card, facts, message, outcome } from '../../pages/parts.ts'
import type { Details } from '../cards/api-types.ts'
import { issuerName } from '../cards/card.ts'
import { type HolderLinkTexts, holderLinkTexts } from '../cards/link-texts.ts'
import { cardTexts } from '../cards/texts.ts'
import { type Frame, formScreen, type Screen } from '../frame/screen.ts'
import { linkCard } from './links-screen.ts'

const RECIPIENT_CHARS = 200
const PURPOSE_CHARS = 500
const VALUES = 'show[]'

type ShareFrame = Frame<{ readonly id: string }>
type Shareable = ReplyOf<typeof shareableClaims>
type Labels = Details['display']['labels']

/** The page on which a person makes a link, and that shows its address once. */
export const shareScreen = formScreen({
  place: 'cards' as const,
  path: '/me/cards/{id}/share',
  summary: 'Chooses what a link shows of a card, for whom and how long, and shows the link once.',
  show: (frame) => orUnfit(frame, () => choosePage(frame)),
  send: (frame) => orUnfit(frame, () => create(frame)),
})

async function create(frame: ShareFrame): Promise<Screen> {
  const { api, fields, params, language } = frame
  const t = holderLinkTexts[language]
  const recipient = typed(fields, 'recipient')
  const purpose = typed(fields, 'purpose')
  const needsChoice = typed(fields, 'needs-choice') === '1' && !fields.has(VALUES)
  if (recipient === '' || purpose === '' || needsChoice) return choosePage(frame, true)
  // Paths that our own form has; the API checks them.
  const claims = (fields.get(VALUES) ?? []).map((one) => parseJson(Buffer.from(one)) as (string | number | null)[])
  const seconds = typed(fields, 'seconds')
  const expiresInSeconds = Object.hasOwn(t.durations, seconds) ? Number(seconds) : sharedLinkSeconds.byDefault
  const body = { credentialId: params.id, claims, recipient, purpose, expiresInSeconds }
  const { data } = await api.call(sharedLinks.create, { body })
  const { meta } = await api.call(walletCredentials.get, { params: { id: params.id } })
  return createdPage(frame, t, data, meta)
}

function createdPage(
  frame: ShareFrame,
  t: HolderLinkTexts,
  link: ReplyOf<typeof sharedLinks.create>,
  { display }: Details,
): Screen {
  const { address } = link
  const { texts } = frame
  const image = Buffer.from(String(qrAnswer(address, 'image/svg+xml').body)).toString('base64')
  const once = html`<p><b>${t.address}</b></p>
  <copy-text label="${texts.copy}" done="${texts.copied}"><code class="secret" dir="ltr">${address}</code></copy-text>
  <img class="qr" src="data:image/svg+xml;base64,${image}" alt="${t.qr}" width="288" height="288">
  <p class="hint">${t.passOn}</p>`
  const document = html`<p>${t.asPdfText}</p>
  ${form(frame, `/me/links/${link.id}/card.pdf`, html`${hidden('address', address)}${button(t.asPdf)}`)}`
  const main = html`${outcome('done', t.created)}${card(once)}${card(document, t.asPdf)}
  ${linkCard(frame, link, display)}
  <p class="buttons">${buttonLink(t.mine, '/me/links')}${buttonLink(frame.t.back, `/me/cards/${frame.params.id}`)}</p>`
  return { title: t.createdTitle, main, modules: ['copy-text'] }
}

async function choosePage(frame: ShareFrame, isRefused = false): Promise<Screen> {
  const { api, params, fields, language } = frame
  const t = holderLinkTexts[language]
  const [{ meta }, { data }] = await Promise.all([
    api.call(walletCredentials.get, { params: { id: params.id } }),
    api.call(shareableClaims, { params: { id: params.id } }),
  ])
  const { display } = meta
  const name = display.name ?? cardTexts[language].unnamed
  const path = `/me/cards/${encodeURIComponent(params.id)}`
  const inputs = inputsOf(frame, t, isRefused)
  const chosen = typed(fields, 'seconds') || String(sharedLinkSeconds.byDefault)
  const seconds = { name: 'seconds', label: t.howLong, value: chosen, choices: choicesIn(t.durations) }
  const mustChoose = data.always.length === 0 && data.selectable.length > 0
  const content = html`${mustChoose && hidden('needs-choice', '1')}${valuesOf(frame, t, data, display.labels)}
  ${card(html`${inputs.map((one) => field(frame, one))}${select(frame, seconds)}`)}
  <div class="buttons">${button(t.create, { look: 'main' })}${buttonLink(frame.t.cancel, path)}</div>`
  const isMissing = isRefused && mustChoose && !fields.has(VALUES)
  const main = html`${errorSummary(frame, inputs, isMissing ? t.nothingChosen : undefined)}
  <p>${cardTexts[language].from} ${issuerName(display)}</p>
  <p>${t.intro}</p>
  ${form(frame, `${path}/share`, content)}`
  return { title: t.title(name), main, hasErrors: isRefused }
}

function inputsOf({ fields }: ShareFrame, t: HolderLinkTexts, isRefused: boolean): readonly Field[] {
  const [recipient, purpose] = [typed(fields, 'recipient'), typed(fields, 'purpose')]
  return [
    {
      name: 'recipient',
      label: t.recipient,
      hint: t.recipientHint,
      value: recipient.slice(0, RECIPIENT_CHARS),
      ...(isRefused && recipient === '' && { error: t.recipientMissing }),
    },
    {
      name: 'purpose',
      label: t.purpose,
      hint: t.purposeHint,
      value: purpose.slice(0, PURPOSE_CHARS),
      ...(isRefused && purpose === '' && { error: t.purposeMissing }),
    },
  ]
}

/** Every value whole, as a consent has it: those always shown, and those to choose. */
function valuesOf(
  { language, fields }: ShareFrame,
  t: HolderLinkTexts,
  { always, selectable }: Shareable,
  labels: Labels,
): Html {
  const ticked = fields.get(VALUES) ?? []
  const nameOf = (path: Shareable['always'][number]['path']) => {
    const text = JSON.stringify(path.map((step) => (typeof step === 'number' ? null : step)))
    return { text, name: shownPath(labels, text, language) }
  }
  const fixed = always.map(({ path, value }) => {
    const { text, name } = nameOf(path)
    const label = html`${name}<br><span class="hint">${t.always}</span>`
    return [label, shownValue(value, language, 'folded', { labels, path: text })] as const
  })
  const order = new Map(labels.map(({ path }, index) => [path, index]))
  const rank = ({ path }: Shareable['always'][number]) => order.get(nameOf(path).text) ?? labels.length
  const boxes = selectable
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ path, value }, index) => {
      const { text, name } = nameOf(path)
      const own = JSON.stringify(path)
      const id = `show-${index}`
      const on = ticked.includes(own) && html` checked`
      return html`<div class="tick">
        <input type="checkbox" id="${id}" name="${VALUES}" value="${own}"${on}>
        <div>
          <label for="${id}">${name}</label>
          <div class="hint">${shownValue(value, language, 'folded', { labels, path: text })}</div>
        </div>
      </div>`
    })
  const choice =
    boxes.length === 0
      ? html`<p class="hint">${t.nothingElse}</p>`
      : html`<fieldset class="ticks"><legend>${t.chooseHint}</legend>${boxes}</fieldset>`
  return html`<section class="card consent"><h2>${t.choose}</h2>${fixed.length > 0 && facts(fixed)}${choice}</section>`
}

/** Says why a card cannot be shared by a link, where the API refuses it. */
async function orUnfit(frame: ShareFrame, work: () => Promise<Screen>): Promise<Screen> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiRefusal) || ![403, 409, 422].includes(error.status)) throw error
    const t = holderLinkTexts[frame.language]
    const text = error.status === 403 ? t.off : error.status === 409 ? t.tooMany : t.unfit
    const back = buttonLink(frame.t.back, `/me/cards/${encodeURIComponent(frame.params.id)}`)
    const main = html`${message('bad', text)}<p class="buttons">${back}${buttonLink(t.mine, '/me/links')}</p>`
    return { title: t.share, main, hasErrors: true, status: error.status }
  }
}
