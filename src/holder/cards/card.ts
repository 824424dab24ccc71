import type { Language } from '../../contract/languages.ts'
import { dateFormat } from '../../memory/formats.ts'
import { linesOf } from '../../pages/claims/claims.ts'
import { valueText } from '../../pages/claims/values.ts'
import { type Html, html } from '../../pages/html.ts'
import { coloursOf } from '../../pages/look/credential-card.ts'
import type { Tone } from '../../pages/table.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import type { Frame } from '../frame/screen.ts'
import type { Credential, Details, Display } from './api-types.ts'
import { type CardTexts, cardTexts } from './texts.ts'

/** The face of a card shows two of these values. */
const FACE_LINES = 20

/** The state of a card in words, worst first. */
type CardState = keyof CardTexts['states']

const tones: Readonly<Record<CardState, Tone>> = {
  valid: 'ok',
  ending: 'warn',
  expired: 'warn',
  early: 'warn',
  suspended: 'warn',
  revoked: 'bad',
  pending: 'plain',
  rejected: 'plain',
}

/** Returns the state of a card at a moment, with the tone that goes with it. */
export function cardState(
  { status }: Pick<Credential, 'status'>,
  { standing, validFrom, validUntil, endsSoon }: Pick<Details, 'standing' | 'validFrom' | 'validUntil' | 'endsSoon'>,
  now: Date,
): { readonly state: CardState; readonly tone: Tone } {
  const listed = standing?.status ?? 'valid'
  const state: CardState =
    listed !== 'valid'
      ? listed
      : validUntil !== null && new Date(validUntil) <= now
        ? 'expired'
        : new Date(validFrom) > now
          ? 'early'
          : status !== 'accepted'
            ? status
            : endsSoon
              ? 'ending'
              : 'valid'
  return { state, tone: tones[state] }
}

/** What a card is drawn from. `line`, `until`: below the name. `href`: where it leads, if it is a link. */
type Face = {
  readonly id: string
  readonly display: Display
  readonly line: string
  readonly until?: string
  readonly href?: string
  readonly state?: string | undefined
  readonly language: Language
  /** Our own: the host of every other issuer stands on its card, since each chooses its name itself. */
  readonly origin: string
}

/** Returns a card: issuer, logo or its first letter, name, one line. Its colours come from {@link cardRule}. */
export function cardFace({ id, display, line, until, href, state, language, origin }: Face): Html {
  const { name, images = [] } = display
  const who = issuerName(display)
  const besides = besidesName(display, origin, cardTexts[language])
  const small = besides !== '' && html` <small>${besides}</small>`
  const logo = images.includes('logo')
    ? html`<img src="/me/cards/${id}/logo" alt="" width="48" height="48">`
    : html`<i aria-hidden="true">${who.slice(0, 1).toLocaleUpperCase()}</i>`
  const title = name ?? cardTexts[language].unnamed
  const inside = html`<span class="issuer"><span>${who}${small}</span>${logo}</span>
  <span class="name">
    ${state !== undefined && html`<em>${state}</em>`}
    <b>${title}</b>
    <span>${line}</span>
    ${until !== undefined && html`<span>${until}</span>`}
  </span>`
  // A picture may show anything: whose it is, and what its state is, stands below it in our words.
  const drawn = html`<img class="drawn" src="/me/cards/${id}/card" alt="${title}" loading="lazy">
  <span class="under">
    <span>${who}${small}</span>
    ${state !== undefined && html`<em>${state}</em>`}
  </span>`
  const isDrawn = images.includes('card')
  const look = isDrawn ? 'credential picture' : 'credential'
  const content = isDrawn ? drawn : inside
  return href === undefined
    ? html`<div class="${look} card-${id}">${content}</div>`
    : html`<a class="${look} card-${id}" href="${href}">${content}</a>`
}

/** Returns the rule with the colours of a card; a text that could not be read gets another colour. */
export function cardRule(id: string, { backgroundColor, textColor, images = [] }: Display): string {
  const { back, ink } = coloursOf({ back: backgroundColor, ink: textColor })
  const picture = images.includes('background') ? `;--picture:url("/me/cards/${id}/background")` : ''
  return `.card-${id}{--card:${back};--card-ink:${ink}${picture}}`
}

/**
 * Returns how an issuer is called: what it calls itself counts only where the organisation of the holder knows it; else
 * it is its host.
 */
export function issuerName({ issuer }: Pick<Display, 'issuer'>): string {
  const stated = issuer.trust === 'unknown' ? null : issuer.name
  return stated ?? foreignText(hostOf(issuer.identifier) || issuer.identifier, 100) ?? '–'
}

/**
 * Returns what stands beside {@link issuerName}: the host of an issuer that is known by its name, what a stranger calls
 * itself; or nothing.
 */
export function besidesName({ issuer }: Pick<Display, 'issuer'>, origin: string, t: CardTexts): string {
  const { name, identifier, trust } = issuer
  if (trust === 'unknown') return name === null ? '' : t.calls(name)
  return name === null || identifier.startsWith(`${origin}/`) ? '' : hostOf(identifier)
}

function hostOf(identifier: string): string {
  return URL.parse(identifier)?.host ?? ''
}

/** Returns what a card of the wallet is drawn from. Its state is said on its face where it is not valid. */
export function cardLook({ language, now, origin }: Frame, t: CardTexts, one: Credential, about: Details): Face {
  const { state } = cardState(one, about, now)
  const { id } = one
  return {
    id,
    display: about.display,
    line: firstValues(one, about, language),
    ...(about.validUntil !== null && { until: `${t.validUntil} ${dayText(about.validUntil, language)}` }),
    language,
    origin,
    state: state === 'valid' ? undefined : t.states[state],
  }
}

function firstValues({ claims }: Credential, { display }: Details, language: Language): string {
  const { lines } = linesOf(claims, display.labels, FACE_LINES)
  const values = lines.map(({ value }) => valueText(value, language)).filter((value) => value.length <= 40)
  return values.slice(0, 2).join(' · ')
}

/** Returns a date in words, with the moment for machines. */
export function cardDay(text: string, language: Language): Html {
  const shown = dateFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(text))
  return html`<time datetime="${text}">${shown}</time>`
}

/** As {@link cardDay}, without the moment for machines. */
export function dayText(text: string, language: Language): string {
  return dateFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(text))
}
