import type { Language } from '../contract/languages.ts'
import { memberOf } from '../crypto/json.ts'
import { askedList } from '../pages/claims/asked.ts'
import type { Shell } from '../pages/document.ts'
import { type Html, html } from '../pages/html.ts'
import { duration } from '../pages/moment.ts'
import { buttonLink, card, message } from '../pages/parts.ts'
import { foreignText } from '../protocols/foreign-text.ts'
import type { About, Refusal, VisitState } from './call-api.ts'
import { visitorTexts } from './texts.ts'

const tones: Readonly<Record<string, string>> = { verified: 'ok', answered: 'ok', failed: 'bad' }

/** Returns the heading of a page. */
export function headingOf({ heading, organisation }: About, language: Language): string {
  return foreignText(heading, 200) ?? visitorTexts[language].asksFor(visitorName(organisation))
}

/** Returns the name of an organisation as it can be shown. */
export function visitorName({ name }: Pick<About['organisation'], 'name'>): string {
  return foreignText(name, 100) ?? ''
}

/** Returns the organisation, what it asks for and why. `how`: the button that begins the request. */
export function introduction({ asks, purpose, explanation }: About, language: Language, how: Html): Html {
  const t = visitorTexts[language]
  const why = foreignText(purpose, 500)
  const text = foreignText(explanation, 1000)
  const request = html`<div><p>${t.asks}</p>${askedList(asks)}</div>
  ${why !== null && html`<p>${t.purpose} ${why}</p>`}
  <p class="hint">${t.choice}</p>
  ${how}`
  return html`${text !== null && html`<p>${text}</p>`}${card(request)}`
}

/**
 * Returns the ways to answer an open request. On a device with a touch screen the wallet of the device comes first.
 *
 * @param isFramed Links leave the frame of another site.
 */
export function ways(state: VisitState, language: Language, isFramed: boolean): Html {
  const t = visitorTexts[language]
  const { authorizationRequestUri = '', authorizationRequestQrUri, digitalCredentialsUri = '' } = state
  const { pathname: browser, host } = new URL(digitalCredentialsUri)
  const out = isFramed && html` target="_blank" rel="noopener"`
  const own = `/open?${String(new URLSearchParams({ u: authorizationRequestUri }))}`
  const qr = authorizationRequestQrUri === undefined ? null : new URL(authorizationRequestQrUri)
  const code =
    qr !== null &&
    html`<div class="stack">
      <p>${t.scan}</p>
      <img class="qr" src="${qr.pathname + qr.search}" alt="${t.qr}" width="288" height="288">
    </div>`
  return html`<div class="ways-to-answer">
    ${code}
    <div class="stack here">
      <request-credential src="${browser}" done="${t.browserDone}" failed="${t.browserFailed}">
        <button type="button" class="button plain">${t.browserWallet}</button>
        <p class="hint" role="status"></p>
      </request-credential>
      <p class="buttons">${buttonLink(t.sameDevice, authorizationRequestUri)}</p>
      <p class="hint">${t.noApp} <a href="${own}"${out}>${t.ownWallet(host)}</a></p>
    </div>
  </div>`
}

/** Returns that the wallet has not answered yet. */
export function waiting({ expiresAt }: VisitState, language: Language, now: Date): Html {
  const t = visitorTexts[language]
  const seconds = Math.max(1, (Date.parse(expiresAt) - now.getTime()) / 1000)
  return html`<p class="waiting" role="status">${t.waiting}</p>
  <p class="hint">${t.lasts(duration(seconds, language))}</p>`
}

/**
 * Returns the end of a request in words. It takes the focus, so that a screen reader says it once.
 *
 * @param focus In the frame of another site browsers refuse `autofocus`; the script of the frame moves the focus.
 */
export function verdict(
  { status }: VisitState,
  language: Language,
  focus: 'autofocus' | 'data-focus' = 'autofocus',
): Html {
  const { outcomes } = visitorTexts[language]
  const [title, advice] = memberOf(outcomes, status) ?? outcomes.expired
  return told({ title, text: advice, tone: tones[status] ?? 'warn' }, focus)
}

function told({ title, text, tone }: { title: string; text: string; tone: string }, focus: string): Html {
  return html`<section class="verdict ${tone}" tabindex="-1" ${focus}><h2>${title}</h2><p>${text}</p></section>`
}

/** Returns what happened instead, and what to do. */
export function refused({ kind, retryAfterSeconds }: Refusal, language: Language): { title: string; text: string } {
  const t = visitorTexts[language]
  const [title, advice] = t.refused[kind]
  const wait = retryAfterSeconds === null ? '' : ` ${t.waitFor(duration(retryAfterSeconds, language))}`
  return { title, text: advice + wait }
}

/** Returns a refusal as a message. */
export function refusedMessage(refusal: Refusal, language: Language): Html {
  return message('bad', refused(refusal, language).text)
}

/** Returns a refusal in the place of an end, in the frame of another site. */
export function refusedVerdict(refusal: Refusal, language: Language): Html {
  return told({ ...refused(refusal, language), tone: 'warn' }, 'data-focus')
}

/** Returns what surrounds a page. @param image A logo beside the name. */
export function visitorShell(name = 'Chirograph', image: Html | null = null): Shell {
  return { surface: 'visitor', header: html`${image}<b>${name}</b>`, menu: html`` }
}

/** Returns where the organisation explains itself and helps. */
export function footnote({ organisation: { privacyUri, supportAddress } }: About, language: Language): Html | null {
  if (privacyUri === null && supportAddress === null) return null
  const t = visitorTexts[language]
  const privacy = privacyUri !== null && html`<a href="${privacyUri}" rel="noreferrer">${t.privacy}</a>`
  const href = supportAddress?.startsWith('https://') === true ? supportAddress : `mailto:${supportAddress}`
  const help = supportAddress !== null && html` ${t.help} <a href="${href}" rel="noreferrer">${supportAddress}</a>`
  return html`<p class="hint">${privacy}${help}</p>`
}
