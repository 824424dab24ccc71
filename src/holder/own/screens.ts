import { Readable } from 'node:stream'
import { walletCredentials } from '../../contract/wallet/credentials.ts'
import { history } from '../../contract/wallet/history.ts'
import { pushSubscriptions } from '../../contract/wallet/push-subscriptions.ts'
import { ownData } from '../../contract/wallet/whole-wallet.ts'
import type { Endpoint } from '../../http/routes/endpoint.ts'
import { linesOf, shownPath } from '../../pages/claims/claims.ts'
import { shownValue } from '../../pages/claims/values.ts'
import { checkbox } from '../../pages/controls.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { moment } from '../../pages/moment-text.ts'
import { typed } from '../../pages/once.ts'
import { button, buttonLink, card, facts, message, outcome } from '../../pages/parts.ts'
import type { Credential, Details, HistoryEntry } from '../cards/api-types.ts'
import { cardDay, cardState, issuerName } from '../cards/card.ts'
import { historyList } from '../cards/history.ts'
import { cardTexts } from '../cards/texts.ts'
import { type Frame, formScreen, type Screen, screen } from '../frame/screen.ts'
import { messageTexts } from './message-texts.ts'
import { hostOf, messageScreens, messagesCard, type Subscription } from './messages.ts'
import { ownTexts } from './texts.ts'

const place = 'settings'
/** Of claims on the page to print, as JSON: some 500 sheets. */
const PRINTED_CHARS = 2_000_000

/** Entries of the history on the page to print. */
const PRINTED_ENTRIES = 1_000
const CARDS_PER_CALL = 10
const ENTRIES_PER_CALL = 100

const settings = screen({
  place,
  path: '/me/settings',
  summary: 'Shows the settings: language, sign-in, own data, and how to delete all.',
  show: async (frame) => {
    const t = ownTexts[frame.language]
    const account = html`<p>${t.accountText}</p>
    <p class="buttons">${buttonLink(t.accountLink, '/account')}${buttonLink(t.signOut, '/session/end')}</p>`
    const data = html`<p>${t.dataText}</p>
    <p class="buttons">
      <a class="button plain" href="/me/data.json" download>${t.json}</a>
      ${buttonLink(t.print, '/me/data')}
    </p>`
    const main = html`${frame.query.deleted === '1' && outcome('done', t.deleted)}
    ${card(html`<p>${t.languageText}</p>`, t.language)}
    ${card(account, t.account)}
    ${await messagesCard(frame)}
    ${card(html`<p>${t.seenText}</p>`, t.seen)}
    ${card(data, t.data)}
    ${card(html`<p>${t.installText}</p>`, t.install)}
    ${card(html`<p>${t.allText}</p><p>${buttonLink(t.deleteLink, '/me/delete')}</p>`, t.all)}`
    return { title: t.title, main, modules: ['push-messages'] }
  },
})

const download = screen({
  place,
  path: '/me/data.json',
  summary: 'Returns everything in the wallet but its keys, as a file.',
  show: async ({ api }) => {
    const answered = await api.stream(ownData.export, 'application/json')
    const headers = { 'content-disposition': 'attachment; filename="wallet.json"' }
    return { file: Readable.from(dataOf(answered), { objectMode: false }), type: 'application/json', headers }
  },
})

const printed = screen({
  place,
  path: '/me/data',
  summary: 'Shows everything in the wallet on one page, to print.',
  show: async (frame) => {
    const [t, words] = [ownTexts[frame.language], cardTexts[frame.language]]
    const { cards, looks } = await printedCards(frame)
    const { entries, hasOlder } = await newestEntries(frame)
    const listed = historyList(frame, words, entries, looks)
    const history = entries.length > 0 ? listed : html`<p>${words.historyEmpty}</p>`
    const older = hasOlder && html`<p>${t.olderHistory(entries.length)}</p>`
    const { data: subscriptions } = await frame.api.call(pushSubscriptions.list)
    const isEmpty = cards.length === 0 && entries.length === 0
    const kept = isEmpty
      ? html`<p class="empty">${t.nothing}</p><p>${buttonLink(words.scan, '/me/scan')}</p>`
      : html`<h2>${t.cards}</h2>${cards.length > 0 ? cards : html`<p>${t.noCards}</p>`}
<h2>${t.history}</h2>${history}${older}`
    const madeAt = moment(frame.now.toISOString(), frame.language, frame.me.organisation.timeZone)
    const main = html`<p>${t.made} ${madeAt}</p>
${kept}
${browserList(frame, subscriptions)}<p>${buttonLink(t.backToSettings, '/me/settings')}</p>`
    return { title: t.printTitle, main }
  },
})

type Held = { readonly credential: Credential; readonly details?: Details }
/** The bytes of `data` in the envelope of a streamed answer, `{"data":…}`. */
async function* dataOf(answered: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let skipped = '{"data":'.length
  let last: Buffer = Buffer.alloc(0)
  for await (const bytes of answered) {
    const own = bytes.subarray(skipped)
    skipped -= bytes.length - own.length
    if (own.length === 0) continue
    yield Buffer.concat([last, own.subarray(0, -1)])
    last = own.subarray(-1)
  }
}

/**
 * All cards, page by page, so that no text of the whole wallet is made: of each that and what fits on the page to
 * print.
 */
async function printedCards(frame: Frame): Promise<{ cards: Html[]; looks: Record<string, Details['display']> }> {
  const room = { chars: PRINTED_CHARS }
  const cards: Html[] = []
  const looks: Record<string, Details['display']> = {}
  for (let after: string | null | undefined; after !== null; ) {
    const query = { 'page[size]': String(CARDS_PER_CALL), 'page[after]': after ?? undefined }
    const { data, meta } = await frame.api.call(walletCredentials.list, { query })
    const { credentials, page } = meta
    for (const credential of data) {
      const details = credentials[credential.id]
      if (details !== undefined) looks[credential.id] = details.display
      cards.push(printedCard(frame, { credential, ...(details !== undefined && { details }) }, room))
    }
    after = page.after
  }
  return { cards, looks }
}

async function newestEntries({ api }: Frame): Promise<{ entries: HistoryEntry[]; hasOlder: boolean }> {
  const entries: HistoryEntry[] = []
  for (let after: string | null | undefined; after !== null; ) {
    if (entries.length >= PRINTED_ENTRIES) return { entries, hasOlder: true }
    const query = { 'page[size]': String(ENTRIES_PER_CALL), 'page[after]': after ?? undefined }
    const { data, meta } = await api.call(history.list, { query })
    entries.push(...data)
    after = meta.page.after
  }
  return { entries, hasOlder: false }
}

/**
 * A card with all that it says, its state and its times.
 *
 * @param room What still fits on the page; what is printed is taken from it.
 */
function printedCard(frame: Frame, { credential, details }: Held, room: { chars: number }): Html {
  const { language } = frame
  const [t, words] = [ownTexts[language], cardTexts[language]]
  const labels = details?.display.labels ?? []
  const { lines } = linesOf(credential.claims, labels, Number.POSITIVE_INFINITY)
  const fitting = lines.filter(({ path, value }) => {
    const chars = path.length + JSON.stringify(value).length
    if (chars > room.chars) return false
    room.chars -= chars
    return true
  })
  const values = fitting.map(
    ({ path, value }) =>
      [shownPath(labels, path, language, 'printed'), shownValue(value, language, 'printed', { labels, path })] as const,
  )
  const left = lines.length - fitting.length
  const unprinted = left > 0 && html`<p>${t.notPrinted(left)}</p>`
  const states = details === undefined ? [] : stateFacts(frame, credential, details)
  return card(html`${facts([...states, ...values])}${unprinted}`, details?.display.name ?? words.unnamed)
}

function stateFacts({ language, now, me }: Frame, credential: Credential, details: Details) {
  const words = cardTexts[language]
  const { validFrom, validUntil, receivedAt, standing } = details
  const checkedAt = standing?.checkedAt ?? null
  const at = checkedAt === null ? null : moment(checkedAt, language, me.organisation.timeZone)
  const state = words.states[cardState(credential, details, now).state]
  return [
    [words.from, issuerName(details.display)],
    [words.status, at === null ? state : html`${state}<br><span class="hint">${words.checked('')}${at}</span>`],
    [words.received, cardDay(receivedAt, language)],
    [words.since, cardDay(validFrom, language)],
    [words.validUntil, validUntil === null ? words.noEnd : cardDay(validUntil, language)],
  ] as const
}

function browserList({ language, me }: Frame, all: readonly Subscription[]): Html | null {
  if (all.length === 0) return null
  const items = all.map(
    ({ endpoint, createdAt }) =>
      html`<li>${hostOf(endpoint)}, ${moment(createdAt, language, me.organisation.timeZone)}</li>`,
  )
  return html`<h2>${messageTexts[language].browsers}</h2><ul class="list">${items}</ul>`
}

const remove = formScreen({
  place,
  path: '/me/delete',
  summary: 'Asks whether to delete everything in the wallet, and deletes it.',
  show: (frame) => deletePage(frame, false),
  send: async (frame) => {
    if (typed(frame.fields, 'sure') !== '1') return deletePage(frame, true)
    await frame.api.call(ownData.delete)
    return { to: '/me/settings?deleted=1' }
  },
})

function deletePage(frame: Frame, isRefused: boolean): Screen {
  const t = ownTexts[frame.language]
  const content = html`${checkbox({ name: 'sure', label: t.sure, isOn: false })}
  <div class="buttons">
    ${button(t.delete, { look: 'danger' })}
    ${buttonLink(frame.t.cancel, '/me/settings')}
  </div>`
  const main = html`${isRefused && message('bad', t.sureMissing)}<p>${t.deleteText}</p>
  ${form(frame, '/me/delete', content)}`
  return { title: t.deleteTitle, main, hasErrors: isRefused }
}

/** Settings and own data. */
export const ownScreens: readonly Endpoint[] = [...settings, ...messageScreens, ...download, ...printed, ...remove]
